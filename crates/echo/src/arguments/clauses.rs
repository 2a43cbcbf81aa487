//! The clauses that are texts: "Report a problem: the door is jammed".

use std::{ops::Range, rc::Rc, sync::LazyLock};

use regex::{Match, Regex};

use super::search::Search;
use crate::{
    facts::{Fact, FactType, compile},
    text::{
        canonical, last_word,
        lexicon::{CLAUSE_WORDS, PHRASE_ENDS, contains},
        sentences, words,
    },
};

/// Maximum number of bytes of a clause that is a value.
const MAX_BYTES: usize = 120;
/// Maximum number of bytes of a message in which a sentence may be the value.
const MAX_TEXT: usize = 1024;
/// The verbs of a clause that is a text although it has facts.
const STATEMENT_VERBS: &str = "is are was were has have had";
/// Those and other verbs of a sentence that tells what is wrong.
const TELLING_VERBS: &str = "is are was were has went does do keeps fails";

impl Search<'_, '_> {
    /// Returns the clause behind a verb of telling and "that", whatever facts it has: "Report that the heating
    /// in room 7 is broken".
    pub(super) fn clause_told(&self) -> Option<Fact> {
        let told = TOLD.captures(self.clauses()?)?.get(1).filter(is_clause)?;
        (told.len() < MAX_BYTES).then(|| self.clause(told.range()))
    }

    /// Returns the clause between a colon and the end of the sentence, if it is a statement or has no facts:
    /// "Report a problem: the door is jammed". A statement may stand behind a comma, too.
    pub(super) fn clause_left(&self) -> Option<Fact> {
        let clauses = self.clauses()?;
        self.clause_behind(": ", clauses.split_once(": "))
            .or_else(|| self.clause_behind(", ", clauses.rsplit_once(", ")))
    }

    fn clause_behind(&self, mark: &str, parts: Option<(&str, &str)>) -> Option<Fact> {
        let (lead, rest) = parts?;
        let rest = rest.split(['.', ';', '?', '!', '\n', ':']).next().unwrap_or(rest).trim_end();
        // "the tap is dripping, priority low"
        let mut ends = rest.match_indices(", ").map(|(at, _)| at);
        let end = ends.find(|at| self.is_of_other(&rest[at + 2..])).unwrap_or(rest.len());
        let rest = &rest[..end];
        let first = rest.split(' ').next().unwrap_or(rest).to_lowercase();
        // "Report a fault: there is no dial tone"
        let may_tell = || mark == ": " && self.property.is_report() && self.is_statement(rest);
        // "a scratched door and a dent" are things, not a statement.
        let starts_otherwise = contains(CLAUSE_WORDS, &first) && !may_tell()
            || contains(PHRASE_ENDS, &first)
            || contains("a an", &first) && !self.is_statement(rest);
        if starts_otherwise || !(1..MAX_BYTES).contains(&rest.len()) {
            return None;
        }
        let start = lead.len() + mark.len();
        let clause = self.clause(start..start + rest.len());
        let facts = self.scope.reading.facts().iter();
        let facts = facts.filter(|it| clause.range.contains(&it.range.start));
        let types: Vec<_> = facts.map(|it| it.of).collect();
        let has_only_numbers = types.iter().all(|of| *of == FactType::Number);
        let is_text = match mark {
            ": " if types.is_empty() => true,
            // "login page returns 500 errors"
            ": " if has_only_numbers && rest.starts_with(char::is_alphabetic) => {
                !self.is_of_other(rest)
            }
            _ => self.is_statement(rest),
        };
        is_text.then_some(clause)
    }

    /// Returns what another sentence tells, up to a preposition before a value: "The heating is broken in flat F-9.
    /// Please open a ticket."
    pub(super) fn sentence_told(&self) -> Option<Fact> {
        let text = &self.scope.reading.text;
        let is_short = self.scope.range == (0..text.len()) && text.len() < MAX_TEXT;
        if !is_short || !self.property.is_report() {
            return None;
        }
        let tells = |part: &str| {
            let mut said = words(part).map(|it| &part[it.run]);
            let mut forms = words(part).map(|it| canonical(&part[it.range]));
            said.any(|word| contains(TELLING_VERBS, word)) && !forms.any(|it| self.is_of_tool(&it))
        };
        let told = sentences(text).find(|it| tells(&text[it.clone()]))?;
        let is_apart = |it: &Fact| text[..it.range.start].ends_with(", ");
        // "The light at the main gate is broken"
        let is_told = |at: usize| {
            let before = &text[told.start..at];
            words(before).any(|it| contains(TELLING_VERBS, &before[it.run]))
        };
        let is_value = |it: &&Rc<Fact>| {
            told.contains(&it.range.start)
                && (it.of != FactType::Name || is_apart(it))
                && is_told(it.range.start)
        };
        let mut facts = self.scope.reading.facts().iter().filter(is_value).map(|it| it.range.start);
        let first = facts.next().unwrap_or(told.end);
        let part = &text[told.start..first];
        let end = PREPOSITION.find(part).map_or(part.len(), |it| it.start());
        let part = part[..end].trim_end().trim_end_matches(['.', '!', ',', ';']);
        let start = told.start + part.len() - part.trim_start().len();
        let is_clause = part.trim().contains(' ') && part.len() < MAX_BYTES;
        is_clause.then(|| self.scope.reading.phrase(start..told.start + part.len()))
    }

    /// Returns the part of the message in which a clause may be the value.
    fn clauses(&self) -> Option<&str> {
        self.scope.reading.text.get(self.scope.range.clone()).filter(|_| !self.property.is_array)
    }

    fn clause(&self, Range { start, end }: Range<usize>) -> Fact {
        let from = self.scope.range.start;
        self.scope.reading.phrase(from + start..from + end)
    }

    /// Returns `true` for a clause that has a verb and states no other property: "half of the lamps are
    /// broken".
    fn is_statement(&self, clause: &str) -> bool {
        let mut said = words(clause).map(|it| &clause[it.range]);
        said.any(|it| contains(STATEMENT_VERBS, it)) && !self.is_of_other(clause)
    }

    /// Returns `true` for a clause with a word of another property.
    fn is_of_other(&self, clause: &str) -> bool {
        let forms: Vec<_> = words(clause).map(|it| canonical(&clause[it.range])).collect();
        let mut others = self.properties.iter().filter(|it| it.path != self.property.path);
        others.any(|it| forms.iter().any(|form| it.owns(Some(form))))
    }
}

/// Returns what a message says to tell someone: "Notify the crew that the ferry is late".
pub(super) fn told(message: &str) -> Option<&str> {
    Some(TOLD_TO.captures(message)?.get(1).filter(is_clause)?.as_str())
}

/// Returns what a message says behind a label such as "body:", up to the next label.
pub(super) fn labeled(
    message: &str,
    is_own: impl Fn(&str) -> bool,
    is_label: impl Fn(&str) -> bool,
) -> Option<&str> {
    let mut labels = message.match_indices(": ").map(|(at, _)| (last_word(&message[..at]), at));
    let (_, colon) = labels.find(|(word, _)| is_own(&canonical(word)))?;
    let next = labels.find(|(word, _)| is_label(&canonical(word)));
    let end = next.map_or(message.len(), |(word, colon)| colon - word.len());
    let text = message.get(colon + 2..end)?.trim().trim_end_matches([',', ';']);
    (!text.is_empty()).then_some(text)
}

/// Returns `false` for what describes the word before it: "a mail that says hello".
fn is_clause(found: &Match) -> bool {
    let first = found.as_str().split(' ').next().unwrap_or("");
    !contains(STATEMENT_VERBS, first) && !contains("says can will would should", first)
}

/// The reason that a request gives: "because the print is damaged", "due to high winds".
pub(super) fn reason(text: &str) -> Option<Range<usize>> {
    Some(REASON.captures(text)?.get(1)?.range())
}

static REASON: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\b(?:because(?: of)?|due to) ([^,.;!?\n]+)"));

/// A preposition, and words that lead to a value behind it.
static PREPOSITION: LazyLock<Regex> =
    LazyLock::new(|| compile(r" (?:in|on|at|of|for|from|since)(?: [a-z]+){0,2} $"));

/// A verb of telling, anyone, and the clause behind "that".
static TOLD_TO: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"\b(?i:notif(?:y|ies)|tell|inform|remind|let|message|text|email|write|warn|announce)\b(?:[^.,;!?\n]|\.[a-z]){0,80}? that ([^;!?\n.]+)",
    )
});

/// A verb of telling, to whom, and the clause behind "that".
static TOLD: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"\b(?i:report|note|write|say|saying|mention|remind|tell|inform|complain|complaint|message)(?: (?:to|me|us|him|her|them|\p{Lu}[\w'-]*|\S+@\S+)){0,2} that ([^,;!?\n]+[^,;!?\n.])",
    )
});
