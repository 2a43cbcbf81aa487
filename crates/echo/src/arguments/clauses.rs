//! The clauses that are texts: "Report a problem: the door is jammed".

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::search::Search;
use crate::{
    facts::{Fact, compile},
    text::{
        canonical,
        lexicon::{CLAUSE_WORDS, PHRASE_ENDS, contains},
        words,
    },
};

/// Maximum number of bytes of a clause that is a value.
const MAX_BYTES: usize = 120;
/// The verbs of a clause that is a text although it has facts.
const STATEMENT_VERBS: &str = "is are was were has have had";

impl Search<'_, '_> {
    /// Returns the clause behind a verb of telling and "that", whatever facts it has: "Report that the heating
    /// in room 7 is broken".
    pub(super) fn clause_told(&self) -> Option<Fact> {
        let told = TOLD.captures(self.clauses()?)?.get(1)?;
        (told.len() < MAX_BYTES).then(|| self.clause(told.range()))
    }

    /// Returns the clause between a colon and the end of the sentence, if it is a statement or has no facts:
    /// "Report a problem: the door is jammed".
    pub(super) fn clause_left(&self) -> Option<Fact> {
        let (lead, rest) = self.clauses()?.split_once(": ")?;
        let rest = rest.split(['.', ';', '?', '!', '\n', ':']).next().unwrap_or(rest).trim_end();
        let first = rest.split(' ').next().unwrap_or(rest).to_lowercase();
        let starts_otherwise = contains(CLAUSE_WORDS, &first) || contains(PHRASE_ENDS, &first);
        if starts_otherwise || !(1..MAX_BYTES).contains(&rest.len()) {
            return None;
        }
        let start = lead.len() + ": ".len();
        let clause = self.clause(start..start + rest.len());
        let is_text =
            self.scope.reading.fact_in(&clause.range).is_none() || self.is_statement(rest);
        is_text.then_some(clause)
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
        let said = || words(clause).map(|it| &clause[it.range]);
        let is_of_other = |word: &str| {
            let form = canonical(word);
            let mut others = self.properties.iter().filter(|it| it.path != self.property.path);
            others.any(|it| it.owns(Some(&form)))
        };
        said().any(|it| contains(STATEMENT_VERBS, it)) && !said().any(is_of_other)
    }
}

/// A verb of telling, to whom, and the clause behind "that".
static TOLD: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"\b(?i:report|note|write|say|saying|mention|remind|tell|inform)(?: (?:to|me|us|him|her|them|\p{Lu}[\w'-]*|\S+@\S+)){0,2} that ([^,;!?\n]+[^,;!?\n.])",
    )
});
