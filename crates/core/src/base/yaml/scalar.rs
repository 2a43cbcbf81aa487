//! Interprets unquoted scalars, like daprd's YAML 1.1 parser or as in YAML 1.2.

/// The meaning of an unquoted scalar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    Integer(i128),
    /// May be infinite or NaN.
    Float(f64),
    Text(&'a str),
}

/// Returns the meaning of an unquoted scalar.
pub(super) fn resolve(text: &str) -> Scalar<'_> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Scalar::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Scalar::Bool(false),
        "true" | "True" | "TRUE" => Scalar::Bool(true),
        "false" | "False" | "FALSE" => Scalar::Bool(false),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Scalar::Float(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        _ => number(text).unwrap_or(Scalar::Text(text)),
    }
}

fn number(text: &str) -> Option<Scalar<'_>> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return None;
    }
    let plain = text.replace('_', "");
    integer(&plain).map(Scalar::Integer).or_else(|| float(&plain).map(Scalar::Float))
}

/// Parses a 64-bit integer with Go's prefixes. A leading zero means octal.
fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix(['+', '-']) {
        Some(digits) => (text.starts_with('-'), digits),
        None => (false, text),
    };
    let size = match digits.as_bytes() {
        [b'0', b'x' | b'X', digits @ ..] => from_digits(digits, 16),
        [b'0', b'o' | b'O', digits @ ..] => from_digits(digits, 8),
        [b'0', b'b' | b'B', digits @ ..] => from_digits(digits, 2),
        [b'0', digits @ ..] if !digits.is_empty() => from_digits(digits, 8),
        digits => from_digits(digits, 10),
    }?;
    let value = if negative { -i128::from(size) } else { i128::from(size) };
    (value >= i128::from(i64::MIN)).then_some(value)
}

fn from_digits(digits: &[u8], radix: u32) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    // Rust would accept a second sign here.
    if text.starts_with(['+', '-']) { None } else { u64::from_str_radix(text, radix).ok() }
}

/// Parses a decimal number. Unlike Rust's parser, rejects `inf` and `nan`, which have no digits.
fn float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let is_number = mantissa.contains(|c: char| c.is_ascii_digit())
        && !mantissa.contains(|c: char| c.is_alphabetic())
        && exponent.ends_with(|c: char| c.is_ascii_digit());
    // As in Go, a number that is too large is text.
    text.parse().ok().filter(|value: &f64| is_number && value.is_finite())
}

/// The meaning of an unquoted scalar in YAML 1.2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CoreScalar {
    Null,
    Bool(bool),
    Unsigned(u64),
    /// Is negative.
    Signed(i64),
    /// May be infinite or NaN.
    Float(f64),
    Text,
}

/// Returns the meaning of an unquoted scalar in YAML 1.2. Numbers with underscores or leading zeros are
/// text.
pub(super) fn resolve_core(text: &str) -> CoreScalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => CoreScalar::Null,
        "true" | "True" | "TRUE" => CoreScalar::Bool(true),
        "false" | "False" | "FALSE" => CoreScalar::Bool(false),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => CoreScalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => CoreScalar::Float(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => CoreScalar::Float(f64::NAN),
        _ => core_number(text).unwrap_or(CoreScalar::Text),
    }
}

fn core_number(text: &str) -> Option<CoreScalar> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    match digits.as_bytes() {
        [b'0', b'x', digits @ ..] if text.starts_with('0') => {
            return from_digits(digits, 16).map(CoreScalar::Unsigned);
        }
        [b'0', b'o', digits @ ..] if text.starts_with('0') => {
            return from_digits(digits, 8).map(CoreScalar::Unsigned);
        }
        [b'0', b'0'..=b'9', ..] => return None,
        [b'0'..=b'9' | b'.', ..] => {}
        _ => return None,
    }
    let unsigned = || text.parse().ok().map(CoreScalar::Unsigned);
    let signed = || text.parse().ok().map(CoreScalar::Signed);
    unsigned().or_else(signed).or_else(|| float(text).map(CoreScalar::Float))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_words_to_booleans_and_null() {
        for word in ["y", "yes", "On", "TRUE"] {
            assert_eq!(resolve(word), Scalar::Bool(true), "{word}");
        }
        for word in ["n", "NO", "off", "False"] {
            assert_eq!(resolve(word), Scalar::Bool(false), "{word}");
        }
        for word in ["", "~", "null"] {
            assert_eq!(resolve(word), Scalar::Null, "{word:?}");
        }
    }

    #[test]
    fn resolves_numbers_like_go() {
        let integers =
            [("0777", 511), ("0o777", 511), ("0x1F", 31), ("-0b11", -3), ("1_000", 1000)];
        for (text, value) in integers {
            assert_eq!(resolve(text), Scalar::Integer(value), "{text}");
        }
        for (text, value) in [("1.10", 1.1), ("1e3", 1e3), (".5", 0.5), ("08", 8.0), ("-1.", -1.0)]
        {
            assert_eq!(resolve(text), Scalar::Float(value), "{text}");
        }
    }

    #[test]
    fn limits_integers_to_64_bits() {
        assert_eq!(resolve("18446744073709551615"), Scalar::Integer(u64::MAX.into()));
        assert_eq!(resolve("-9223372036854775808"), Scalar::Integer(i64::MIN.into()));
        assert_eq!(resolve("18446744073709551616"), Scalar::Float(18_446_744_073_709_551_616.0));
    }

    #[test]
    fn resolves_everything_else_to_text() {
        let texts =
            ["2024-01-01", "12:30:45", "50ms", "-", ".", "+-1", "--1", "0x", "1e", "inf", "-inf"];
        for text in texts {
            assert_eq!(resolve(text), Scalar::Text(text), "{text}");
        }
        assert_eq!(resolve("1e999"), Scalar::Text("1e999"));
    }

    #[test]
    fn resolves_as_in_yaml_1_2() {
        let cases = [
            ("~", CoreScalar::Null),
            ("True", CoreScalar::Bool(true)),
            ("yes", CoreScalar::Text),
            ("off", CoreScalar::Text),
            ("0", CoreScalar::Unsigned(0)),
            ("+7", CoreScalar::Unsigned(7)),
            ("-7", CoreScalar::Signed(-7)),
            ("007", CoreScalar::Text),
            ("-07", CoreScalar::Text),
            ("1_000", CoreScalar::Text),
            ("0x1F", CoreScalar::Unsigned(31)),
            ("0o17", CoreScalar::Unsigned(15)),
            ("18446744073709551615", CoreScalar::Unsigned(u64::MAX)),
            ("0.5", CoreScalar::Float(0.5)),
            (".5", CoreScalar::Float(0.5)),
            ("-1e3", CoreScalar::Float(-1000.0)),
            ("1e999", CoreScalar::Text),
            ("-.inf", CoreScalar::Float(f64::NEG_INFINITY)),
            ("1.2.3", CoreScalar::Text),
            ("2024-01-01", CoreScalar::Text),
            ("-", CoreScalar::Text),
            (".", CoreScalar::Text),
        ];
        for (text, expected) in cases {
            assert_eq!(resolve_core(text), expected, "{text}");
        }
    }
}
