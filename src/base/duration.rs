//! Durations as Go writes them: `50ms`, `1.5s`, `1h2m3.5s`.

use std::time::Duration;

use thiserror::Error as ThisError;

/// Why a text is no duration that can be used.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub(crate) enum DurationError {
    /// It is not written as Go writes durations.
    #[error("{0:?} is not a duration; write it as Go does, such as 50ms or 1.5s")]
    Malformed(String),
    /// It is below zero.
    #[error("{0:?} is negative; use a duration of 0s or more")]
    Negative(String),
    /// Go's 64 bits of nanoseconds do not hold it.
    #[error("{0:?} is too long; the longest duration is about 292 years (2562047h)")]
    TooLong(String),
}

/// Reads a duration of zero or more.
pub(crate) fn parse(text: &str) -> Result<Duration, DurationError> {
    let sizes = text.strip_prefix(['+', '-']).unwrap_or(text);
    let nanos = if sizes == "0" { 0 } else { sum(sizes).map_err(|fault| fault.about(text))? };
    if nanos > 0 && text.starts_with('-') {
        return Err(DurationError::Negative(text.to_owned()));
    }
    Ok(Duration::from_nanos(nanos))
}

/// What can go wrong within a text.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Malformed,
    TooLong,
}

impl Fault {
    fn about(self, text: &str) -> DurationError {
        match self {
            Self::Malformed => DurationError::Malformed(text.to_owned()),
            Self::TooLong => DurationError::TooLong(text.to_owned()),
        }
    }
}

/// Adds up sizes such as `1h2m3.5s`, in nanoseconds.
fn sum(mut text: &str) -> Result<u64, Fault> {
    let mut total: u64 = 0;
    loop {
        let (nanos, rest) = size(text)?;
        total = total.checked_add(nanos).ok_or(Fault::TooLong)?;
        if i64::try_from(total).is_err() {
            return Err(Fault::TooLong);
        }
        if rest.is_empty() {
            return Ok(total);
        }
        text = rest;
    }
}

/// Reads one number and its unit; returns nanoseconds and what follows.
fn size(text: &str) -> Result<(u64, &str), Fault> {
    let (whole, rest) = split_digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => split_digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return Err(Fault::Malformed);
    }
    let end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(end);
    let unit = nanos_of(unit).ok_or(Fault::Malformed)?;
    let whole = number(whole)?.checked_mul(unit).ok_or(Fault::TooLong)?;
    let nanos = whole.checked_add(part(fraction, unit)).ok_or(Fault::TooLong)?;
    Ok((nanos, rest))
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

fn number(digits: &str) -> Result<u64, Fault> {
    if digits.is_empty() { Ok(0) } else { digits.parse().map_err(|_| Fault::TooLong) }
}

/// The decimals of a unit, below one of it; what is less than a nanosecond is cut off.
fn part(decimals: &str, unit: u64) -> u64 {
    let (mut value, mut scale) = (0, 1);
    // More digits than these make no nanosecond, not even of an hour.
    for digit in decimals.bytes().take(18) {
        value = value * 10 + u128::from(digit - b'0');
        scale *= 10;
    }
    u64::try_from(value * u128::from(unit) / scale).unwrap_or(unit)
}

fn nanos_of(unit: &str) -> Option<u64> {
    match unit {
        "ns" => Some(1),
        // Both the micro sign and the Greek letter.
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
    fn go_durations_are_read() {
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
    fn other_texts_are_refused() {
        let texts = ["", "-", "5", "s", ".s", "fast", "1 s", "1d", "1h2", "--1s", "1e3s", "1S"];
        for text in texts {
            assert_eq!(parse(text), Err(DurationError::Malformed(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_below_zero_or_too_long_says_so() {
        assert_eq!(parse("-1ms"), Err(DurationError::Negative("-1ms".to_owned())));
        for text in ["9223372036854775808ns", "2562048h", "2562047h48m", "99999999999999999999h"] {
            assert_eq!(parse(text), Err(DurationError::TooLong(text.to_owned())), "{text}");
        }
    }
}
