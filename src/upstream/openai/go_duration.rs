//! Durations as Go writes them, such as `24h0m0s`.

use std::time::Duration;

/// Returns a duration as Go writes it.
pub(super) fn go_duration(duration: Duration) -> String {
    let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
    if seconds == 0 {
        return match nanos {
            0 => "0s".to_owned(),
            1..1_000 => format!("{nanos}ns"),
            1_000..1_000_000 => decimal(nanos, 3) + "µs",
            _ => decimal(nanos, 6) + "ms",
        };
    }
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = decimal(nanos, 9);
    let fraction = fraction.trim_start_matches('0');
    match (hours, minutes) {
        (0, 0) => format!("{seconds}{fraction}s"),
        (0, minutes) => format!("{minutes}m{seconds}{fraction}s"),
        (hours, minutes) => format!("{hours}h{minutes}m{seconds}{fraction}s"),
    }
}

/// Writes a number of the `digits`-th part of a unit, without trailing zeros.
fn decimal(number: u32, digits: u32) -> String {
    let unit = 10_u32.pow(digits);
    let fraction = format!("{:0width$}", number % unit, width = digits as usize);
    let whole = number / unit;
    match fraction.trim_end_matches('0') {
        "" => whole.to_string(),
        fraction => format!("{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_durations_as_go_does() {
        let cases = [
            (0, "0s"),
            (1, "1ns"),
            (1_500, "1.5µs"),
            (500_000_000, "500ms"),
            (1_000_000_000, "1s"),
            (61_500_000_000, "1m1.5s"),
            (5_025_000_000, "5.025s"),
            (86_400_000_000_000, "24h0m0s"),
        ];
        for (nanos, text) in cases {
            assert_eq!(go_duration(Duration::from_nanos(nanos)), text);
        }
    }
}
