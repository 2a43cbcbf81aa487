//! Texts of numbers and times.

/// Returns a number with thin spaces between thousands.
pub(super) fn number(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Returns a percentage, such as `12.5%`. Only none and all are 0% and 100%.
pub(super) fn percentage(percentage: f64) -> String {
    if percentage > 0.0 && percentage < 0.05 {
        return "< 0.1%".to_owned();
    }
    if (99.95..100.0).contains(&percentage) {
        return "> 99.9%".to_owned();
    }
    let text = format!("{percentage:.1}");
    format!("{}%", text.strip_suffix(".0").unwrap_or(&text))
}

/// Returns a duration, such as `1 min 5 s`.
pub(super) fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        // From 9.95 on, the text would be `10.0 s`.
        (0, 0, _) if seconds < 9.95 && seconds.fract() != 0.0 => format!("{seconds:.1} s"),
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_numbers_and_times() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(number),
            ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
        assert_eq!([0.0, 0.1, 12.5, 100.0].map(percentage), ["0%", "0.1%", "12.5%", "100%"]);
        assert_eq!(
            [0.01, 0.06, 99.94, 99.96].map(percentage),
            ["< 0.1%", "0.1%", "99.9%", "> 99.9%"]
        );
        let times = [0.0, 2.25, 9.94, 9.97, 59.0, 60.0, 65.0, 7_320.0].map(duration);
        let expected = ["0 s", "2.2 s", "9.9 s", "10 s", "59 s", "1 min", "1 min 5 s", "2 h 2 min"];
        assert_eq!(times, expected);
    }
}
