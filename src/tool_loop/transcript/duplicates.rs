//! Calls that were made before.

use std::collections::BTreeSet;

use super::{Arguments, CallKey, history, name::display_name};
use crate::chat::{Message, Role, ToolCall};

/// Which calls are duplicates, and so not run. Two calls are the same if name and arguments are: the
/// order of keys does not count, and numbers do by their value. Of two that are the same in one turn
/// the second is a duplicate, unless none are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// Those that are the same as the latest call that was run, whatever came of it.
    #[default]
    Previous,
    /// Those that are the same as any call that succeeded; one that failed may be tried again.
    AnySuccessful,
    /// None.
    Off,
}

/// What a log says of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What makes the call; [`DuplicateLog::succeeded`] takes it, if the call goes well.
    pub key: CallKey,
    /// Whether it is not to be run, and its outcome is
    /// [`Outcome::Duplicate`](super::Outcome::Duplicate).
    pub is_duplicate: bool,
}

/// Remembers calls, to know duplicates without reading the history again.
///
/// ```
/// use mynah::{chat::ToolCall, tool_loop::transcript::{DuplicateLog, Duplicates}};
///
/// let call = ToolCall { id: None, name: "now".to_owned(), arguments: "{}".to_owned() };
/// let never = |_: &str| false;
/// let mut log = DuplicateLog::resume(Duplicates::Previous, &[]);
/// assert!(!log.judge(&[call.clone()], never)[0].is_duplicate);
/// assert!(log.judge(&[call], never)[0].is_duplicate);
/// ```
#[derive(Debug, Clone)]
pub struct DuplicateLog(Memory);

/// What each policy needs to know.
#[derive(Debug, Clone)]
enum Memory {
    Previous(Option<CallKey>),
    Successful(BTreeSet<CallKey>),
    Nothing,
}

impl DuplicateLog {
    /// Starts with the calls that a history holds.
    pub fn resume(policy: Duplicates, history: &[Message]) -> Self {
        Self(match policy {
            Duplicates::Previous => Memory::Previous(history::latest(history)),
            Duplicates::AnySuccessful => Memory::Successful(history::successful(history)),
            Duplicates::Off => Memory::Nothing,
        })
    }

    /// Judges the calls of a turn, in order. Tools that `is_repeatable` names have no duplicates.
    pub fn judge(
        &mut self,
        calls: &[ToolCall],
        is_repeatable: impl Fn(&str) -> bool,
    ) -> Vec<Verdict> {
        let mut turn = BTreeSet::new();
        let judged = calls.iter().map(|call| {
            let key = CallKey::of(call);
            let is_new = turn.insert(key.clone());
            let is_duplicate = !is_repeatable(&call.name) && self.is_duplicate(&key, is_new);
            if let Memory::Previous(previous) = &mut self.0
                && !is_duplicate
            {
                *previous = Some(key.clone());
            }
            Verdict { key, is_duplicate }
        });
        judged.collect()
    }

    fn is_duplicate(&self, key: &CallKey, is_new_in_turn: bool) -> bool {
        match &self.0 {
            Memory::Previous(previous) => !is_new_in_turn || previous.as_ref() == Some(key),
            Memory::Successful(calls) => !is_new_in_turn || calls.contains(key),
            Memory::Nothing => false,
        }
    }

    /// Remembers that a call went well.
    pub fn succeeded(&mut self, call: CallKey) {
        if let Memory::Successful(calls) = &mut self.0 {
            calls.insert(call);
        }
    }
}

/// Whether a call is the same as the latest of a history; if so, what is wrong with it, in words.
///
/// The latest call is that of the latest assistant's message with calls, or with a text that
/// starts with `AI ACTION`.
///
/// ```
/// use mynah::tool_loop::transcript::{Arguments, call_message, validate};
/// let history = [call_message("now", &Arguments::default(), 1)];
/// let problem = validate("now", &Arguments::default(), &history).unwrap();
/// assert!(problem.starts_with("You just called the now tool with the exact same parameters"));
/// assert_eq!(validate("today", &Arguments::default(), &history), None);
/// ```
pub fn validate(name: &str, arguments: &Arguments, history: &[Message]) -> Option<String> {
    let is_duplicate = history::latest(history)? == CallKey::new(name, arguments);
    is_duplicate.then(|| called_again(name))
}

/// The message of the user that answers a duplicate.
///
/// ```
/// use mynah::tool_loop::transcript::correction;
/// let text = "You just called the Google Search tool with the exact same parameters as your \
///             previous action. Please try a different approach or use different parameters instead.";
/// assert_eq!(correction("google_search").text(), text);
/// ```
pub fn correction(name: &str) -> Message {
    Message::new(Role::User, correction_text(name))
}

pub(in crate::tool_loop) fn correction_text(name: &str) -> String {
    called_again(&display_name(name))
}

/// What a correction says before and after the name of the tool.
const CALLED_AGAIN: [&str; 2] = [
    "You just called the ",
    " tool with the exact same parameters as your previous action. Please try a different approach or use different parameters instead.",
];

/// What is wrong with a duplicate of a call of the tool of that name.
fn called_again(name: &str) -> String {
    let [before, after] = CALLED_AGAIN;
    format!("{before}{name}{after}")
}

/// Whether a text is a [`correction`].
pub(super) fn is_correction(text: &str) -> bool {
    let [before, after] = CALLED_AGAIN;
    text.starts_with(before) && text.ends_with(after)
}
