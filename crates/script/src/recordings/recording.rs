//! The file of a component, to which exchanges are added.

mod resume;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use mynah_core::base::diagnostics::Diagnostic;
use serde_json::{Value, json};

pub use self::resume::Unwritten;
use super::{
    Exchange, document,
    names::rule_name,
    outline::{Outline, WrittenRule},
    room::Used,
    written::Written,
};
use crate::{
    Rules,
    rules::matching::request::{NormalizedForm, Normalizer, RequestForm},
};

/// What a new file begins with.
const HEAD: &str = "\
# Recorded by mynah. The first rule whose request is that of a call answers it; edit what you like.
# The schema: mynah schema rules
rules:
";
/// The number of values in a file without rules: the mapping, its key and the list.
const HEAD_VALUES: usize = 3;

/// The folder with the tools of the requests, beside the files.
pub const TOOLS: &str = "tools";

/// The recording of a component.
#[derive(Debug)]
pub struct Recording {
    head: String,
    rules: Vec<Entry>,
    indentation: String,
    tail: String,
    normalizer: Normalizer,
    /// The rules of exchanges, by the hash of the normalized request.
    by_request: BTreeMap<u64, usize>,
    names: BTreeSet<String>,
    /// How many exchanges with the same request each session has had.
    uses: BTreeMap<(u64, String), usize>,
    /// The sessions that got other answers to a request than those that are recorded. Nothing of what
    /// they get later is recorded either, so that a sequence is that of one session.
    conflicts: BTreeSet<(u64, String)>,
    /// Number of rules that the file had.
    read: usize,
    pub(super) used: Used,
    /// Why exchanges that are added are never replayed.
    warning: Option<Diagnostic>,
}

#[derive(Debug)]
struct Entry {
    rule: WrittenRule,
    /// The session, if the exchange is new.
    session: Option<String>,
    /// How many of the answers were given again, or for the first time, in this process.
    confirmed: usize,
    /// The long texts of the request, by file, until they are written.
    long_texts: BTreeMap<String, String>,
}

/// A rule that is read from a file.
#[derive(Debug, Clone, Copy)]
pub struct RecordedRule<'r> {
    /// Its name.
    pub name: &'r str,
    /// The request.
    pub request: &'r RequestForm,
    /// Number of recorded answers.
    pub answers: usize,
    /// The line of the file in which it begins.
    pub line: usize,
}

/// What adding an exchange has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// Nothing: the same answer is recorded.
    Nothing,
    /// The text of the file.
    Text,
    /// Nothing: another session got another answer to the same request.
    Conflict,
    /// Nothing: the answer that is recorded is better than an error.
    Kept,
}

impl Recording {
    /// Creates the recording of a component that has none.
    pub fn new() -> Self {
        Self::of(Outline {
            head: HEAD.to_owned(),
            normalizer: Normalizer::usual().as_ref().clone(),
            ..Outline::default()
        })
    }

    /// Returns `true` if the lines of a text look like those of a recording: a list of rules with conditions on
    /// whole requests.
    pub fn is_recording(text: &str) -> bool {
        let is_request = |line: &str| line.trim_start().starts_with("request:");
        text.lines().any(|line| line.starts_with("rules:")) && text.lines().any(is_request)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// Fails with all errors in the text, or if rules cannot be added to it.
    pub fn read(text: &str, file: &Path) -> Result<Self, Vec<Diagnostic>> {
        Self::read_with_rules(text, file).map(|(recording, _)| recording)
    }

    /// Reads the text of a file. Also returns the rules, which answer as recorded.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_with_rules(text: &str, file: &Path) -> Result<(Self, Rules), Vec<Diagnostic>> {
        if text.trim().is_empty() {
            return Ok((Self::new(), Rules::read_all(Vec::new())?));
        }
        let (rules, tree) = Rules::read_recording(text.to_owned(), file)?;
        let values = tree.as_ref().map_or(0, |root| root.size().values);
        let outline = Outline::new(text, tree.as_ref())
            .map_err(|error| vec![Diagnostic::error(error).in_file(file)])?;
        let warning = rules.hides_recorded().map(|warning| warning.in_file(file));
        let long_texts = outline.rules.iter().map(|rule| rule.used.long_texts).sum();
        let used = Used { bytes: text.len(), values, long_texts };
        Ok((Self { used, warning, ..Self::of(outline) }, rules))
    }

    /// Returns a warning if exchanges that are added are never replayed.
    pub fn warning(&self) -> Option<&Diagnostic> {
        self.warning.as_ref()
    }

    fn of(outline: Outline) -> Self {
        let Outline { head, rules, indentation, tail, normalizer } = outline;
        let names = rules.iter().filter_map(|rule| rule.name.clone()).collect();
        let mut by_request = BTreeMap::new();
        for (at, rule) in rules.iter().enumerate() {
            if let Some(request) = rule.request.as_ref().filter(|_| rule.is_exchange) {
                by_request.entry(hash(request, &normalizer)).or_insert(at);
            }
        }
        let read = rules.len();
        let entry = |rule| Entry { rule, session: None, confirmed: 0, long_texts: BTreeMap::new() };
        let rules = rules.into_iter().map(entry).collect();
        let used = Used { bytes: head.len(), values: HEAD_VALUES, long_texts: 0 };
        let (uses, conflicts, warning) = (BTreeMap::new(), BTreeSet::new(), None);
        Self {
            head,
            rules,
            indentation,
            tail,
            normalizer,
            by_request,
            names,
            uses,
            conflicts,
            read,
            used,
            warning,
        }
    }

    /// Returns the text of the file: what was there, then the new exchanges by session.
    pub fn text(&self) -> String {
        let (old, new) = self.rules.split_at(self.read);
        let mut new: Vec<_> = new.iter().collect();
        // The sort is stable.
        new.sort_by(|one, other| one.session.cmp(&other.session));
        let texts = old.iter().chain(new).map(|entry| entry.rule.text.as_str());
        let mut text = self.head.clone();
        for part in texts.chain([self.tail.as_str()]) {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(part);
        }
        text
    }

    /// Returns the long texts that are to be written before [the text](Self::text), by file. The files
    /// are relative to the folder.
    pub fn long_texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.rules.iter().flat_map(|entry| &entry.long_texts);
        texts.map(|(file, text)| (file.as_str(), text.as_str()))
    }

    /// Forgets the long texts, which are written.
    pub fn forget_long_texts(&mut self) {
        self.rules.iter_mut().for_each(|entry| entry.long_texts.clear());
    }

    /// Returns the rules of requests, also those with other conditions.
    pub fn exchanges(&self) -> impl Iterator<Item = RecordedRule<'_>> {
        self.rules.iter().filter_map(|Entry { rule, .. }| {
            let name = rule.name.as_deref().unwrap_or("without a name");
            let (request, line) = (rule.request.as_ref()?, rule.line?);
            Some(RecordedRule { name, request, answers: rule.steps.len().max(1), line })
        })
    }

    /// Returns the number of rules whose answers were added, or given again, in this process.
    pub fn confirmed(&self) -> usize {
        self.rules.iter().filter(|entry| entry.confirmed > 0).count()
    }

    /// Adds an exchange.
    ///
    /// # Errors
    ///
    /// Fails if the exchange cannot be written.
    pub fn add(&mut self, exchange: &Exchange) -> Result<Added, String> {
        self.add_with_key(self.key(exchange), exchange)
    }

    /// Returns the key of an exchange: requests have the same one if normalization makes them equal.
    pub fn key(&self, exchange: &Exchange) -> u64 {
        hash(&exchange.request, &self.normalizer)
    }

    /// Returns `true` if the last answer that a session got may be repeated without changing anything.
    pub fn repeats(&self, key: u64, session: &str) -> bool {
        let entry = self.by_request.get(&key).and_then(|index| self.rules.get(*index));
        let uses = self.uses.get(&(key, session.to_owned()));
        uses.zip(entry).is_some_and(|(uses, entry)| *uses >= entry.rule.steps.len())
    }

    /// Adds an exchange whose [key](Self::key) is known.
    ///
    /// # Errors
    ///
    /// Fails if the exchange cannot be written such that it can be read again. Then nothing is changed.
    pub fn add_with_key(&mut self, key: u64, exchange: &Exchange) -> Result<Added, String> {
        let Exchange { session, answer, .. } = exchange;
        let step = document::step(answer);
        let of_session = (key, session.clone());
        let had = self.uses.get(&of_session).copied().unwrap_or_default();
        let at = had + exchange.repeats;
        let added = match self.by_request.get(&key).copied() {
            None => self.insert(key, exchange, step),
            Some(_) if self.conflicts.contains(&of_session) => Ok(Added::Nothing),
            Some(index) if !self.is_repeated(index, had, at) => Ok(Added::Conflict),
            Some(index) => self.add_answer(index, at, step),
        };
        if matches!(added, Ok(Added::Conflict)) {
            self.conflicts.insert(of_session.clone());
        }
        // What is not recorded is not counted. A retry after an error is for the same answer.
        let is_counted = matches!(added, Ok(added) if added != Added::Kept);
        self.uses.insert(of_session, at + usize::from(is_counted));
        added
    }

    fn insert(&mut self, key: u64, exchange: &Exchange, step: Value) -> Result<Added, String> {
        let Exchange { session, request, .. } = exchange;
        let name = rule_name(request, session, &self.names);
        let steps = vec![step];
        let Written { text, long_texts, used } =
            Written::new(&name, Some(request), &steps, &self.indentation)?;
        self.used.replace(Used::default(), used)?;
        let (name_of_rule, request) = (Some(name.clone()), Some(request.clone()));
        let (line, is_exchange) = (None, true);
        let rule =
            WrittenRule { text, name: name_of_rule, line, request, is_exchange, steps, used };
        self.names.insert(name);
        self.by_request.insert(key, self.rules.len());
        self.rules.push(Entry { rule, session: Some(session.clone()), confirmed: 1, long_texts });
        Ok(Added::Text)
    }

    /// Returns `true` if the last of the answers that a session had is also recorded for those up to `at`,
    /// which were only counted. Another session may have added others since.
    fn is_repeated(&self, index: usize, had: usize, at: usize) -> bool {
        let steps = &self.rules[index].rule.steps;
        let answer = |at: usize| steps.get(at).or(steps.last());
        let Some(last) = had.checked_sub(1).and_then(answer) else { return true };
        let mut counted = (had..at.min(steps.len() + 1)).filter_map(answer);
        counted.all(|step| says_same(step, last))
    }

    /// Adds the answer with this index to a rule.
    fn add_answer(&mut self, index: usize, at: usize, step: Value) -> Result<Added, String> {
        let entry = &mut self.rules[index];
        let steps = &entry.rule.steps;
        let recorded = steps.get(at).or(steps.last());
        if recorded.is_some_and(|recorded| says_same(recorded, &step)) {
            entry.confirmed = entry.confirmed.max(at + 1);
            return match with_stream(steps, at, &step) {
                Some(steps) => self.rewrite(index, steps),
                None => Ok(Added::Nothing),
            };
        }
        if at < entry.confirmed {
            return Ok(Added::Conflict);
        }
        if is_error(&step) && steps.get(at..).is_some_and(|left| !left.iter().all(is_error)) {
            return Ok(Added::Kept);
        }
        // The last answer was given again until now.
        let mut steps = steps.clone();
        let last = steps.last().cloned().unwrap_or_default();
        steps.resize(at, last);
        steps.push(step);
        let added = self.rewrite(index, steps)?;
        self.rules[index].confirmed = at + 1;
        Ok(added)
    }

    /// Writes a rule anew, with these answers.
    fn rewrite(&mut self, index: usize, steps: Vec<Value>) -> Result<Added, String> {
        let Entry { rule, long_texts, .. } = &mut self.rules[index];
        let name = rule.name.as_deref().unwrap_or_default();
        let written = Written::new(name, rule.request.as_ref(), &steps, &self.indentation)?;
        self.used.replace(rule.used, written.used)?;
        (rule.text, rule.used, rule.steps) = (written.text, written.used, steps);
        *long_texts = written.long_texts;
        Ok(Added::Text)
    }
}

impl Default for Recording {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the answers with the chunks of one that was not streamed before.
fn with_stream(steps: &[Value], at: usize, step: &Value) -> Option<Vec<Value>> {
    let stream = step.get("stream")?;
    let at = at.min(steps.len().checked_sub(1)?);
    let recorded = steps[at].as_object().filter(|recorded| !recorded.contains_key("stream"));
    recorded.map(|_| {
        let mut steps = steps.to_vec();
        steps[at]["stream"] = stream.clone();
        steps
    })
}

fn hash(request: &RequestForm, normalizer: &Normalizer) -> u64 {
    NormalizedForm::of_recorded(request.clone(), normalizer).hash()
}

fn is_error(step: &Value) -> bool {
    step.get("error").is_some()
}

/// Returns `true` if two steps have the same texts and the same calls, whatever the ids of the calls.
fn says_same(one: &Value, other: &Value) -> bool {
    said(one) == said(other)
}

fn said(step: &Value) -> Value {
    let without_ids = |choice: &Value| {
        let mut messages = choice["messages"].clone();
        let items = messages.as_array_mut().into_iter().flatten();
        let calls = items.filter_map(|item| item.get_mut("tool_call")?.as_array_mut()).flatten();
        for call in calls.filter_map(Value::as_object_mut) {
            call.remove("id");
        }
        messages
    };
    let others = step["other_choices"].as_array().into_iter().flatten();
    json!([
        without_ids(step),
        others.map(without_ids).collect::<Vec<_>>(),
        step["respond"],
        step["empty"],
        step["error"]["code"],
        step["error"]["message"]
    ])
}
