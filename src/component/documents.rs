//! Splits a file into YAML documents, at the places where daprd does.

/// One document of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Document<'a> {
    /// The line of the file that the text begins in, counted from 1.
    pub(super) first_line: usize,
    pub(super) text: &'a str,
}

/// Every document of a file, also those without content.
///
/// A document ends at a line that begins with `---`; like daprd, this drops the rest of that line.
/// A byte order mark at the start is not content.
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
    fn documents_know_the_line_that_they_begin_in() {
        assert_eq!(parts("a: 1\nb: 2\n---\nc: 3\n"), [(1, "a: 1\nb: 2"), (4, "c: 3\n")]);
    }

    #[test]
    fn the_rest_of_a_separating_line_is_dropped() {
        assert_eq!(parts("a\r\n--- # next\r\nb\r\n"), [(1, "a\r"), (3, "b\r\n")]);
    }

    #[test]
    fn a_separator_may_begin_or_end_the_file() {
        assert_eq!(parts("\u{feff}---\na\n---"), [(1, "---\na"), (4, "")]);
        assert_eq!(parts("\n---\n---\na"), [(1, ""), (3, "---\na")]);
    }
}
