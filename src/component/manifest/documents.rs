//! Splits a file into YAML documents at the same positions as daprd.

/// One document in a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Document<'a> {
    /// The line of the file at which the text begins, counted from 1.
    pub(super) first_line: usize,
    pub(super) text: &'a str,
}

/// Returns all documents of a file, including empty ones.
///
/// A document ends at a line that begins with `---`. The rest of this line is dropped, as in daprd,
/// and so is a byte order mark at the start of the file.
pub(super) fn split(file: &str) -> Vec<Document<'_>> {
    let mut rest = file.strip_prefix('\u{feff}').unwrap_or(file);
    let mut first_line = 1;
    let mut documents = Vec::new();
    while let Some((text, after)) = rest.split_once("\n---") {
        documents.push(Document { first_line, text });
        first_line += count_lines(text) + 2;
        rest = after.split_once('\n').map_or("", |(_dropped, next)| next);
    }
    documents.push(Document { first_line, text: rest });
    documents
}

fn count_lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(file: &str) -> Vec<(usize, &str)> {
        split(file).iter().map(|document| (document.first_line, document.text)).collect()
    }

    #[test]
    fn counts_the_first_line_of_each_document() {
        assert_eq!(parts("a: 1\nb: 2\n---\nc: 3\n"), [(1, "a: 1\nb: 2"), (4, "c: 3\n")]);
    }

    #[test]
    fn drops_the_rest_of_a_separator_line() {
        assert_eq!(parts("a\r\n--- # next\r\nb\r\n"), [(1, "a\r"), (3, "b\r\n")]);
    }

    #[test]
    fn accepts_separators_at_the_start_and_the_end() {
        assert_eq!(parts("\u{feff}---\na\n---"), [(1, "---\na"), (4, "")]);
        assert_eq!(parts("\n---\n---\na"), [(1, ""), (3, "---\na")]);
    }
}
