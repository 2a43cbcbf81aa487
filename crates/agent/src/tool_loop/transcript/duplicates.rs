//! Detects calls that repeat earlier calls.

use std::collections::BTreeSet;

use mynah_core::chat::{Message, ToolCall};
use serde_json::Value;

use super::{
    Arguments, CallKey, CallReader,
    arguments::canonical_json,
    call::{
        CALL, ValueText, display_name, is_truncated, parameters_text, plain_text, quoted_text,
        strip_label, tool_name,
    },
    extract::split_parameters,
    history::{self, Fate, PastCall, correction_for},
};

/// The policy that decides which calls are duplicates. Duplicates do not run.
///
/// Two calls are the same if they have the same name and arguments. The order of arguments does not
/// matter, and numbers are compared by value. With every policy except [`Off`](Self::Off), if the
/// same call occurs twice in one turn, the second is a duplicate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DuplicatePolicy {
    /// A call is a duplicate if it is the same as the latest call that ran, regardless of the
    /// outcome, or as any call that was interrupted and may have taken effect.
    #[default]
    Previous,
    /// A call is a duplicate if it is the same as any call that succeeded, or that was interrupted
    /// and may have taken effect. Failed calls may be repeated.
    AnySuccessful,
    /// No call is a duplicate.
    Off,
}

/// The result of checking a call with a [`DuplicateDetector`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Identifies the call. If the call runs, pass this to [`DuplicateDetector::record`].
    pub key: CallKey,
    /// Whether the call is a duplicate. If so, do not run it and use
    /// [`CallRecord::duplicate`](crate::tool_loop::CallRecord::duplicate).
    pub is_duplicate: bool,
}

/// Remembers calls in order to detect duplicates without reading the history again.
///
/// ```
/// use mynah_agent::tool_loop::transcript::{DuplicateDetector, DuplicatePolicy};
/// use mynah_core::chat::ToolCall;
///
/// let call = ToolCall { id: None, name: "now".to_owned(), arguments: "{}".to_owned() };
/// let is_repeatable = |_: &str| false;
/// let mut detector = DuplicateDetector::from_history(DuplicatePolicy::Previous, &[]);
/// let verdict = detector.check(&[call.clone()], is_repeatable).remove(0);
/// assert!(!verdict.is_duplicate);
/// detector.record(verdict.key, true);
/// assert!(detector.check(&[call], is_repeatable)[0].is_duplicate);
/// ```
#[derive(Debug, Clone)]
pub struct DuplicateDetector {
    policy: DuplicatePolicy,
    previous: Option<CallKey>,
    /// Calls that must not run again: those that were interrupted and may have taken effect, and
    /// with [`AnySuccessful`](DuplicatePolicy::AnySuccessful) those that succeeded.
    done: BTreeSet<CallKey>,
}

impl DuplicateDetector {
    /// Creates a detector that knows the calls in `history`.
    pub fn from_history(policy: DuplicatePolicy, history: &[Message]) -> Self {
        Self::with_reader(policy, history, &CallReader::default())
    }

    /// Creates a detector like [`from_history`](Self::from_history). Calls that are written as text
    /// are read by `reader`.
    pub fn with_reader(policy: DuplicatePolicy, history: &[Message], reader: &CallReader) -> Self {
        let calls = history::past_calls(history, reader);
        let previous = history::latest_call(&calls).and_then(|call| call.key.clone());
        let is_done = |call: &PastCall| match call.fate {
            Fate::Interrupted => true,
            Fate::Done => policy == DuplicatePolicy::AnySuccessful,
            Fate::Unknown | Fate::NotRun | Fate::Failed => false,
        };
        let done = calls.into_iter().filter(is_done).filter_map(|call| call.key).collect();
        Self { policy, previous, done }
    }

    /// Checks the calls of a turn, in order.
    ///
    /// Calls to tools for which `is_repeatable` returns `true` are never duplicates.
    pub fn check(&self, calls: &[ToolCall], is_repeatable: impl Fn(&str) -> bool) -> Vec<Verdict> {
        let (mut turn, mut previous) = (BTreeSet::new(), self.previous.clone());
        let verdicts = calls.iter().map(|call| {
            let key = CallKey::of(call);
            let is_previous =
                self.policy == DuplicatePolicy::Previous && previous.as_ref() == Some(&key);
            let is_known = !turn.insert(key.clone()) || self.done.contains(&key) || is_previous;
            let is_duplicate =
                is_known && self.policy != DuplicatePolicy::Off && !is_repeatable(&call.name);
            if !is_duplicate {
                previous = Some(key.clone());
            }
            Verdict { key, is_duplicate }
        });
        verdicts.collect()
    }

    /// Remembers a call that ran. A call that did not run is not a duplicate if it is repeated.
    pub fn record(&mut self, call: CallKey, succeeded: bool) {
        match self.policy {
            DuplicatePolicy::Previous => self.previous = Some(call),
            DuplicatePolicy::AnySuccessful if succeeded => _ = self.done.insert(call),
            DuplicatePolicy::AnySuccessful | DuplicatePolicy::Off => {}
        }
    }
}

/// Checks whether a call is the same as the latest call in `history`. If so, returns a message that
/// explains the problem.
///
/// The latest call is taken from the latest assistant message that has calls or whose text starts
/// with `AI ACTION`. If it is written as text, the texts of the calls are compared, because text does
/// not tell where a value ends. Then `5` and `"5"` are the same, and so are `Search` and `search` as
/// names of tools. A call with a truncated value is never a duplicate.
///
/// ```
/// use mynah_agent::tool_loop::transcript::{Arguments, call_message, validate};
/// let history = [call_message("now", &Arguments::default(), 1)];
/// let problem = validate("now", &Arguments::default(), &history).unwrap();
/// assert!(problem.starts_with("You just called the now tool with the exact same parameters"));
/// assert_eq!(validate("today", &Arguments::default(), &history), None);
/// ```
pub fn validate(name: &str, arguments: &Arguments, history: &[Message]) -> Option<String> {
    let calls = history::past_calls(history, &CallReader::default());
    let latest = history::latest_call(&calls)?;
    let is_duplicate = match &latest.text {
        Some(text) => is_written_as(text, name, arguments),
        None => latest.key == Some(CallKey::new(name, arguments)),
    };
    is_duplicate.then(|| correction_for(name))
}

/// Returns `true` if `text` is a way to write this call. Text does not tell strings from other
/// values, and truncated values are equal to nothing.
fn is_written_as(text: &str, name: &str, arguments: &Arguments) -> bool {
    let Some(call) = strip_label(text, CALL).and_then(|call| call.strip_prefix("Executing "))
    else {
        return false;
    };
    let (written_name, parameters) = call.split_once(" with parameters:").unwrap_or((call, ""));
    if tool_name(written_name) != tool_name(&display_name(name)) {
        return false;
    }
    let parameters = parameters.strip_prefix(' ').unwrap_or(parameters);
    let writes = [plain_text as ValueText, quoted_text].into_iter().any(|text_of| {
        let is_whole = !arguments.iter().any(|(_, value)| is_truncated(value, text_of));
        is_whole && parameters == parameters_text(arguments, text_of)
    });
    writes || has_values(parameters, arguments)
}

/// Returns `true` if parameters have these values, also in another order, as JSON, or with numbers
/// that are written in another way.
fn has_values(parameters: &str, arguments: &Arguments) -> bool {
    if arguments.is_empty() {
        return parameters.trim().is_empty();
    }
    if parameters.starts_with('{')
        && let Ok(object) = parameters.parse::<Arguments>()
    {
        return object == *arguments;
    }
    let pairs = split_parameters(parameters, |name| arguments.get(name).is_some());
    let names: BTreeSet<_> = pairs.iter().map(|(name, _)| name.trim()).collect();
    let count = arguments.iter().len();
    let is_same = |(name, text): &(&str, &str)| {
        arguments.get(name.trim()).is_some_and(|value| is_text_of(text, value))
    };
    pairs.len() == count && names.len() == count && pairs.iter().all(is_same)
}

fn is_text_of(text: &str, value: &Value) -> bool {
    if value.is_string() {
        let writes = |text_of| !is_truncated(value, text_of) && text == text_of(value);
        return writes(plain_text as ValueText) || writes(quoted_text);
    }
    serde_json::from_str::<Value>(text.trim())
        .is_ok_and(|read| canonical_json(&read) == canonical_json(value))
}
