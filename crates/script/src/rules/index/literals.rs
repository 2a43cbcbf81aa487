//! Finds texts that a pattern requires.

use regex_syntax::{
    ParserBuilder,
    hir::{Class, Hir, HirKind},
};

use super::fold::fold;

/// Maximum number of alternatives of which a match contains one.
const MAX_ALTERNATIVES: usize = 16;
/// Maximum number of forms of a letter.
const MAX_FORMS: usize = 4;

/// Returns folded texts of which every match of a pattern contains at least one when folded, or
/// `None` if there are no such texts or too many.
pub(super) fn required_literals(pattern: &str, ignore_case: bool) -> Option<Vec<String>> {
    let mut parser = ParserBuilder::new().case_insensitive(ignore_case).build();
    required(&parser.parse(pattern).ok()?)
}

fn required(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Literal(_) | HirKind::Class(_) => {
            exact(hir).filter(|literal| !literal.is_empty()).map(|literal| vec![literal])
        }
        HirKind::Concat(parts) => in_sequence(parts),
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Alternation(branches) => {
            let mut literals = Vec::new();
            for branch in branches {
                literals.extend(required(branch)?);
            }
            literals.sort();
            literals.dedup();
            (literals.len() <= MAX_ALTERNATIVES).then_some(literals)
        }
        HirKind::Empty | HirKind::Look(_) | HirKind::Repetition(_) => None,
    }
}

/// Returns the most selective literals that are required by some part of a sequence.
fn in_sequence(parts: &[Hir]) -> Option<Vec<String>> {
    let (mut found, mut run) = (Vec::new(), String::new());
    for part in parts {
        if let Some(text) = exact(part) {
            run.push_str(&text);
            continue;
        }
        found.push(vec![std::mem::take(&mut run)]);
        found.extend(required(part));
    }
    found.push(vec![run]);
    found.retain(|literals| literals.iter().all(|literal| !literal.is_empty()));
    found.into_iter().max_by_key(|literals| literals.iter().map(String::len).min())
}

/// Returns the folded text of each match, if all matches have the same.
fn exact(hir: &Hir) -> Option<String> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(String::new()),
        HirKind::Literal(literal) => Some(fold(std::str::from_utf8(&literal.0).ok()?).into_owned()),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = || class.ranges().iter();
            let forms: usize = ranges().map(|it| it.end() as usize - it.start() as usize + 1).sum();
            let chars = ranges().flat_map(|range| range.start()..=range.end());
            let mut forms = chars.take(MAX_FORMS + 1).filter(|_| forms <= MAX_FORMS);
            let first = fold(&forms.next()?.to_string()).into_owned();
            forms.all(|form| fold(&form.to_string()) == first).then_some(first)
        }
        HirKind::Capture(capture) => exact(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(exact).collect(),
        HirKind::Class(Class::Bytes(_)) | HirKind::Repetition(_) | HirKind::Alternation(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_required_literals() {
        let cases: [(&str, &[&str]); 17] = [
            ("weather", &["weather"]),
            ("^The weather in (?<city>\\w+)$", &["the weather in "]),
            ("\\bbook\\b a (?:flight|hotel)", &["book a "]),
            ("^(?:flight|hotel)", &["flight", "hotel"]),
            ("(?i)straße", &["straße"]),
            ("[Ww]eather", &["weather"]),
            ("(rain|snow)+", &["rain", "snow"]),
            ("a.*longer", &["longer"]),
            ("(a|bc)d*", &["a", "bc"]),
            ("colou?r", &["colo"]),
            ("x{2,3}", &["x"]),
            ("(fine)", &["fine"]),
            ("\\d+", &[]),
            ("a*", &[]),
            ("", &[]),
            ("(a|)", &[]),
            ("[abc]", &[]),
        ];
        for (pattern, expected) in cases {
            let found = required_literals(pattern, false).unwrap_or_default();
            assert_eq!(found, expected, "{pattern}");
        }
        assert_eq!(required_literals("ΟΔΟΣ|S", true).unwrap(), ["s", "οδοσ"]);
    }
}
