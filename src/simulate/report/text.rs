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

/// Returns a percentage, such as `12.5%`.
pub(super) fn percentage(percentage: f64) -> String {
    let text = format!("{percentage:.1}");
    format!("{}%", text.strip_suffix(".0").unwrap_or(&text))
}

/// Returns a duration, such as `1 min 5 s`.
pub(super) fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, _) if seconds < 10.0 && seconds.fract() != 0.0 => format!("{seconds:.1} s"),
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// Returns a name with spaces instead of underscores.
pub(super) fn words(name: &str) -> String {
    name.replace('_', " ")
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
        assert_eq!([0.0, 12.5, 99.96].map(percentage), ["0%", "12.5%", "100%"]);
        let times = [0.0, 2.25, 59.0, 60.0, 65.0, 7_320.0].map(duration);
        assert_eq!(times, ["0 s", "2.2 s", "59 s", "1 min", "1 min 5 s", "2 h 2 min"]);
    }
}
