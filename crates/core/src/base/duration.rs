//! Durations in Go's format: `50ms`, `1.5s`, `1h2m3.5s`.

use std::time::Duration;

use thiserror::Error as ThisError;

/// An invalid duration.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum DurationError {
    /// The text is not in Go's format.
    #[error("{0:?} is not a duration; use Go's format, such as 50ms or 1.5s")]
    Malformed(String),
    /// The duration is negative.
    #[error("{0:?} is negative; use a duration of 0s or more")]
    Negative(String),
    /// The number of nanoseconds does not fit into Go's 64-bit duration.
    #[error("{0:?} is too long; the longest duration is about 292 years (2562047h)")]
    TooLong(String),
}

/// Parses a duration of zero or more.
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let nanos = match unsigned {
        "0" => 0,
        _ => parse_sum(unsigned).map_err(|kind| kind.with_text(text))?,
    };
    if nanos > 0 && text.starts_with('-') {
        return Err(DurationError::Negative(text.to_owned()));
    }
    Ok(Duration::from_nanos(nanos))
}

/// The kind of a [`DurationError`].
#[derive(Debug, Clone, Copy)]
enum ErrorKind {
    Malformed,
    TooLong,
}

impl ErrorKind {
    fn with_text(self, text: &str) -> DurationError {
        match self {
            Self::Malformed => DurationError::Malformed(text.to_owned()),
            Self::TooLong => DurationError::TooLong(text.to_owned()),
        }
    }
}

/// Parses numbers with units, such as `1h2m3.5s`, and returns their sum in nanoseconds.
fn parse_sum(mut text: &str) -> Result<u64, ErrorKind> {
    let mut total: u64 = 0;
    loop {
        let (nanos, rest) = parse_part(text)?;
        total = total.checked_add(nanos).ok_or(ErrorKind::TooLong)?;
        if i64::try_from(total).is_err() {
            return Err(ErrorKind::TooLong);
        }
        if rest.is_empty() {
            return Ok(total);
        }
        text = rest;
    }
}

/// Parses a number with a unit. Returns the number of nanoseconds and the rest of the text.
fn parse_part(text: &str) -> Result<(u64, &str), ErrorKind> {
    let (whole, rest) = split_digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => split_digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return Err(ErrorKind::Malformed);
    }
    let end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(end);
    let unit = unit_nanos(unit).ok_or(ErrorKind::Malformed)?;
    let whole = parse_digits(whole)?.checked_mul(unit).ok_or(ErrorKind::TooLong)?;
    let nanos = whole.checked_add(fraction_nanos(fraction, unit)).ok_or(ErrorKind::TooLong)?;
    Ok((nanos, rest))
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

fn parse_digits(digits: &str) -> Result<u64, ErrorKind> {
    if digits.is_empty() { Ok(0) } else { digits.parse().map_err(|_| ErrorKind::TooLong) }
}

/// Converts the digits after a decimal point to nanoseconds, rounded down.
fn fraction_nanos(digits: &str, unit: u64) -> u64 {
    let (mut value, mut scale) = (0, 1);
    // Further digits add less than a nanosecond, even if the unit is an hour.
    for digit in digits.bytes().take(18) {
        value = value * 10 + u128::from(digit - b'0');
        scale *= 10;
    }
    u64::try_from(value * u128::from(unit) / scale).unwrap_or(unit)
}

fn unit_nanos(unit: &str) -> Option<u64> {
    match unit {
        "ns" => Some(1),
        // The last two start with the micro sign and the Greek letter mu.
        "us" | "\u{b5}s" | "\u{3bc}s" => Some(1_000),
        "ms" => Some(1_000_000),
        "s" => Some(1_000_000_000),
        "m" => Some(60_000_000_000),
        "h" => Some(3_600_000_000_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_go_durations() {
        let cases = [
            ("0", 0),
            ("-0s", 0),
            ("7ns", 7),
            ("2us", 2_000),
            ("2\u{b5}s", 2_000),
            ("2\u{3bc}s", 2_000),
            ("50ms", 50_000_000),
            ("+1.5s", 1_500_000_000),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("1h2m3.5s", 3_723_500_000_000),
            ("0.333333333333333333333h", 1_199_999_999_999),
            ("9223372036854775807ns", i64::MAX as u64),
        ];
        for (text, nanos) in cases {
            assert_eq!(parse(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn rejects_other_texts() {
        let texts = ["", "-", "5", "s", ".s", "fast", "1 s", "1d", "1h2", "--1s", "1e3s", "1S"];
        for text in texts {
            assert_eq!(parse(text), Err(DurationError::Malformed(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn rejects_negative_and_too_long_durations() {
        assert_eq!(parse("-1ms"), Err(DurationError::Negative("-1ms".to_owned())));
        for text in ["9223372036854775808ns", "2562048h", "2562047h48m", "99999999999999999999h"] {
            assert_eq!(parse(text), Err(DurationError::TooLong(text.to_owned())), "{text}");
        }
    }
}
