//! Shows which words of a text have changed.

use similar::{ChangeTag, TextDiff};

use super::text::shorten;

/// Maximum number of bytes of each text that are compared, after what both begin with.
const MAX_COMPARED: usize = 16 * 1024;
/// Number of unchanged words that are shown around changed ones.
const CONTEXT: usize = 3;
/// Maximum number of characters of a changed text that are shown.
const MAX_SHOWN: usize = 80;

/// Shows the changed words of a text as Git does, with a few words around them.
///
/// ```
/// use mynah_core::base::word_diff::word_diff;
/// let shown = word_diff("Today is Monday. Be brief.", "Today is Tuesday. Be brief.");
/// assert_eq!(shown, "Today is [-Monday.-]{+Tuesday.+} Be brief.");
/// ```
pub fn word_diff(old: &str, new: &str) -> String {
    let (common, [old, new]) = without_common_beginning(old, new);
    let diff = TextDiff::from_words(old, new);
    let mut shown = String::new();
    // The unchanged words since the last change.
    let mut same = last_words(common);
    for change in diff.iter_all_changes() {
        let (text, marks) = match change.tag() {
            ChangeTag::Equal => {
                same.push(change.value());
                continue;
            }
            ChangeTag::Delete => (change.value(), ["[-", "-]"]),
            ChangeTag::Insert => (change.value(), ["{+", "+}"]),
        };
        push_same(&mut shown, &mut same, false);
        // Adjacent changes of a kind are one.
        match shown.strip_suffix(marks[1]).map(str::len) {
            Some(end) => shown.truncate(end),
            None => shown += marks[0],
        }
        shown += &shorten(text, MAX_SHOWN);
        shown += marks[1];
    }
    push_same(&mut shown, &mut same, true);
    shown
}

/// Adds unchanged words, and leaves out those far from changes.
fn push_same(shown: &mut String, same: &mut Vec<&str>, is_end: bool) {
    // Words alternate with the space between them.
    let kept = 2 * CONTEXT;
    let is_start = shown.is_empty();
    let words = std::mem::take(same);
    let limit = if is_start || is_end { kept } else { 2 * kept };
    if words.len() <= limit {
        shown.extend(words);
        return;
    }
    if !is_start {
        shown.extend(words[..kept].iter().copied());
    }
    *shown += "…";
    if !is_end {
        shown.extend(words[words.len() - kept..].iter().copied());
    }
}

/// Splits off what two texts begin with, up to a space, and cuts what is too long to compare.
fn without_common_beginning<'t>(old: &'t str, new: &'t str) -> (&'t str, [&'t str; 2]) {
    let equal = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    let space = old.as_bytes()[..equal].iter().rposition(u8::is_ascii_whitespace);
    let (common, old) = old.split_at(space.map_or(0, |at| at + 1));
    let cut = |text: &'t str| &text[..text.floor_char_boundary(MAX_COMPARED)];
    (common, [cut(old), cut(&new[common.len()..])])
}

/// Returns the last words of a text, with the space after each.
fn last_words(text: &str) -> Vec<&str> {
    let words = text.split_inclusive(char::is_whitespace).rev();
    // More than are shown, so that the omission is.
    let mut words: Vec<_> = words.take(2 * CONTEXT + 1).collect();
    words.reverse();
    words
}

#[cfg(test)]
mod tests {
    use super::word_diff;

    #[test]
    fn shows_the_words_around_changes() {
        let cases = [
            ("a b c", "a b c d", "a b c{+ d+}"),
            ("", "a b", "{+a b+}"),
            ("a b", "", "[-a b-]"),
            ("Grüße an Ulm", "Grüße an Köln", "Grüße an [-Ulm-]{+Köln+}"),
        ];
        for (old, new, expected) in cases {
            assert_eq!(word_diff(old, new), expected);
        }
        let long = |day: &str, end: &str| {
            let words = "one two three four five six seven eight nine ten ".repeat(3);
            format!("{words}{day} {words}{end}")
        };
        assert_eq!(
            word_diff(&long("Monday", "now"), &long("Friday", "then")),
            "…five six seven eight nine ten [-Monday-]{+Friday+} one two three…eight nine ten \
             [-now-]{+then+}"
        );
    }
}
