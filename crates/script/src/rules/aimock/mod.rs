//! Converts fixture files of aimock to rules.
//!
//! A file is a JSON object `{"fixtures": [{"match": {…}, "response": {…}}]}`. Each fixture for chats
//! becomes a rule, and fixtures that differ only in their `sequenceIndex` become one rule with a
//! sequence. There is a warning for everything that has no meaning here.

// source    reads JSON, with places
// matches   converts the conditions of a fixture
// response  converts the response of a fixture
// document  writes the rules
// check     finds what rules cannot express

mod check;
mod document;
mod matches;
mod response;
mod source;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, btree_map};

use mynah_core::base::diagnostics::{Diagnostic, Place, Severity};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use self::{
    document::{Answer, Rule},
    matches::FixtureMatch,
    source::{Fields, Source, has_fixtures_key},
};

/// A converted file.
#[derive(Debug)]
pub struct Converted {
    rules: Vec<Rule>,
    /// What has no meaning in mynah, with places in the fixture file.
    pub warnings: Vec<Diagnostic>,
    /// The fixtures that never answer, with the reasons. Also among the warnings.
    skipped: Vec<Diagnostic>,
}

impl Converted {
    /// Returns the text of a rules file, in YAML, unless no fixture has a meaning in mynah.
    pub fn text(&self) -> Option<String> {
        write([self])
    }

    /// Returns the reasons why no fixture has a meaning, as errors.
    pub fn reasons(&self) -> Vec<Diagnostic> {
        let message = "no fixture has a meaning in mynah; expected at least one for chats";
        let error = Diagnostic::error(message).at(Place { line: 1, column: 1 });
        let as_error = |it: &Diagnostic| Diagnostic { severity: Severity::Error, ..it.clone() };
        [error].into_iter().chain(self.skipped.iter().map(as_error)).collect()
    }

    /// Adds the name of the file to the names of the rules.
    pub fn named_after(mut self, file: &str) -> Self {
        for rule in &mut self.rules {
            rule.file = Some(file.to_owned());
        }
        self
    }
}

/// Returns the text of a file with all rules, unless there are none.
pub fn write<'c>(converted: impl IntoIterator<Item = &'c Converted>) -> Option<String> {
    let rules: Vec<_> = converted.into_iter().flat_map(|it| &it.rules).collect();
    (!rules.is_empty()).then(|| document::write(rules))
}

/// The keys of a fixture that neither matter nor deserve a warning.
const IRRELEVANT: [&str; 2] = ["metadata", "openRouterProcessing"];

/// Returns `true` if a text is a JSON object with a list `fixtures`, or an invalid one with that key.
pub fn has_fixtures(text: &str) -> bool {
    text.trim_start().starts_with('{')
        && match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => Source::new(text).document().is_ok(),
            Err(_) => has_fixtures_key(text),
        }
}

/// Converts a fixture file of aimock. Diagnostics have a place but no file.
///
/// # Errors
///
/// Fails if the text is not JSON or not a fixture file. All mistakes are returned.
pub fn convert(text: &str) -> Result<Converted, Vec<Diagnostic>> {
    let mut source = Source::new(text);
    let fixtures = source.document().map_err(|error| vec![error])?;
    let mut rules = Rules::default();
    for (index, fixture) in fixtures.into_iter().enumerate() {
        rules.extend(&mut source, index + 1, fixture);
    }
    let rules = rules.finish(&mut source);
    let Source { mut errors, ignored, mut skipped, .. } = source;
    skipped.sort_by_key(|it| it.place);
    if !errors.is_empty() {
        errors.sort_by_key(|it| it.place);
        return Err(errors);
    }
    let mut warnings: Vec<_> = ignored.into_iter().chain(skipped.iter().cloned()).collect();
    warnings.sort_by_key(|it| it.place);
    Ok(Converted { rules, warnings, skipped })
}

/// The rules so far.
#[derive(Default)]
struct Rules<'a> {
    rules: Vec<Rule>,
    /// The sequences by their conditions and turns.
    sequences: BTreeMap<(String, Option<i64>), Sequence<'a>>,
}

/// Fixtures that differ only in their `sequenceIndex`.
struct Sequence<'a> {
    /// Index of the rule.
    rule: usize,
    steps: BTreeMap<u64, (&'a RawValue, String)>,
}

impl<'a> Rules<'a> {
    /// Adds the rule of a fixture, unless the fixture has no meaning here.
    fn extend(&mut self, source: &mut Source<'a>, number: usize, raw: &'a RawValue) {
        let Some(mut fixture) = source.object(raw, "a fixture") else { return };
        if fixture.is_comment() {
            return;
        }
        let Some(matched) = fixture_match(source, &mut fixture, raw) else { return };
        let Some(respond) = response::convert(source, &mut fixture, raw) else { return };
        fixture.remove_all(&IRRELEVANT);
        source.warn_of_rest(&fixture, "fixture");
        let FixtureMatch { mut conditions, turn_index, sequence_index } = matched;
        if let Err(reason) = check::check(number, &conditions, &respond) {
            return source.skip(raw, reason);
        }
        let answer = match sequence_index {
            None => {
                conditions = matches::of_any_turn(conditions, &respond);
                Answer::Respond(respond)
            }
            Some(index) => {
                let key = (conditions.clone(), turn_index);
                if !self.add_step(source, key, index, (raw, respond)) {
                    return;
                }
                Answer::Sequence(Vec::new())
            }
        };
        let priority = turn_index.map(|turn| turn.saturating_add(1).max(0));
        self.rules.push(Rule { file: None, number, conditions, priority, answer });
    }

    /// Adds a step to its sequence. Returns `true` if this is the first fixture of the sequence.
    fn add_step(
        &mut self,
        source: &mut Source<'a>,
        key: (String, Option<i64>),
        index: u64,
        step: (&'a RawValue, String),
    ) -> bool {
        let rule = self.rules.len();
        let new = Sequence { rule, steps: BTreeMap::new() };
        let sequence = self.sequences.entry(key).or_insert(new);
        match sequence.steps.entry(index) {
            btree_map::Entry::Vacant(entry) => {
                entry.insert(step);
            }
            btree_map::Entry::Occupied(_) => {
                source.never_answers(step.0, "an earlier fixture has its sequenceIndex");
            }
        }
        sequence.rule == rule
    }

    /// Returns the rules with their sequences.
    fn finish(mut self, source: &mut Source<'a>) -> Vec<Rule> {
        for Sequence { rule, steps } in self.sequences.into_values() {
            let mut answers = Vec::new();
            for (index, (raw, respond)) in steps {
                if index == answers.len() as u64 {
                    answers.push(respond);
                } else {
                    let missing = answers.len();
                    source
                        .never_answers(raw, format_args!("no fixture has sequenceIndex {missing}"));
                }
            }
            self.rules[rule].answer = Answer::Sequence(answers);
        }
        let is_reachable =
            |rule: &Rule| !matches!(&rule.answer, Answer::Sequence(it) if it.is_empty());
        self.rules.retain(is_reachable);
        self.rules
    }
}

fn fixture_match<'a>(
    source: &mut Source<'a>,
    fixture: &mut Fields<'a>,
    raw: &'a RawValue,
) -> Option<FixtureMatch> {
    let Some(conditions) = fixture.remove("match") else {
        source.error(raw, "the fixture has no `match`");
        return None;
    };
    matches::convert(source, conditions)
}
