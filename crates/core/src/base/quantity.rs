//! Sizes in Kubernetes' format: `4Mi`, `512Ki`, `1G`, `4194304`.

/// Parses a size in bytes. As in daprd, the number must be an integer greater than zero.
pub fn parse(text: &str) -> Option<usize> {
    const UNITS: [(&str, usize); 7] = [
        ("Ki", 1 << 10),
        ("Mi", 1 << 20),
        ("Gi", 1 << 30),
        ("k", 1_000),
        ("M", 1_000_000),
        ("G", 1_000_000_000),
        ("", 1),
    ];
    let size = |(unit, bytes): &(&str, usize)| {
        let number = text.strip_suffix(unit)?.parse::<usize>().ok()?;
        number.checked_mul(*bytes).filter(|size| *size > 0)
    };
    UNITS.iter().find_map(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_quantities() {
        let cases =
            [("4Mi", 4_194_304), ("4194304", 4_194_304), ("512Ki", 524_288), ("1G", 1_000_000_000)];
        for (text, bytes) in cases {
            assert_eq!(parse(text), Some(bytes), "{text}");
        }
    }

    #[test]
    fn rejects_other_texts() {
        for text in ["", "0", "-1", "4MB", "Mi", "1.5Mi", "99999999999999999999"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
