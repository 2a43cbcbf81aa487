//! What a sidecar knows of a call.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use schemars::JsonSchema;
use serde::Deserialize;

/// The session of calls that name none.
pub const DEFAULT_SESSION: &str = "default";
/// Maximum number of recorded answers of one call.
const MAX_ANSWERS: usize = 64;

/// The API through which a call arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    /// Dapr's runtime API over gRPC.
    Grpc,
    /// Dapr's runtime API over HTTP.
    Http,
    /// OpenAI's API.
    OpenAi,
    /// The component socket, over which daprd calls.
    Component,
}

impl Surface {
    /// All surfaces.
    pub const ALL: [Self; 4] = [Self::Grpc, Self::Http, Self::OpenAi, Self::Component];

    /// Returns the name of the surface in files and in the journal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Grpc => "grpc",
            Self::Http => "http",
            Self::OpenAi => "openai",
            Self::Component => "component",
        }
    }
}

/// What made one turn of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnsweredBy {
    /// A rule.
    Rule {
        /// The file of the rule, or the component whose metadata has it.
        source: Arc<str>,
        /// The rule.
        rule: RuleLabel,
        /// The line in which the rule begins, if the source is a file.
        line: Option<usize>,
        /// The entry of the rule's chain or sequence, from 1.
        step: Option<usize>,
    },
    /// A fault, which lets the call fail on purpose.
    Fault,
    /// Nothing: the request is not in the recording.
    Missed,
    /// An instruction chain.
    Chain {
        /// The message with the chain, from 1.
        message: usize,
        /// The step of the chain, from 1.
        step: usize,
    },
}

/// Returns the file and the line in which a rule begins, if it is in a file.
pub fn rule_place(source: &str, line: Option<usize>) -> Option<String> {
    line.map(|line| format!("{source}:{line}"))
}

/// How messages, counters and reports refer to a rule: by its name, or by its number. The name `2`
/// is not the number 2.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleLabel {
    text: Arc<str>,
    is_name: bool,
    /// The file, if the rules of the component are in several files.
    file: Option<Arc<str>>,
}

impl RuleLabel {
    /// Labels the rule with this name.
    pub fn name(name: &str) -> Self {
        Self { text: name.into(), is_name: true, file: None }
    }

    /// Labels the rule with this number in its file, starting at 1.
    pub fn number(number: usize) -> Self {
        Self { text: number.to_string().into(), is_name: false, file: None }
    }

    /// Sets or removes the file.
    pub fn in_file(self, file: Option<Arc<str>>) -> Self {
        Self { file, ..self }
    }

    /// Returns the name, or the number as text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Returns the file, if the rules of the component are in several files.
    pub fn file(&self) -> Option<&Arc<str>> {
        self.file.as_ref()
    }
}

impl fmt::Display for RuleLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, is_name, file } = self;
        match is_name {
            true => write!(f, "rule {text:?}"),
            false => write!(f, "rule {text}"),
        }?;
        file.as_ref().map_or(Ok(()), |file| write!(f, " of {file}"))
    }
}

/// Where providers record what made an answer. It exists only if the journal wants it.
#[derive(Debug, Default)]
pub struct AnswerRecord(Mutex<Vec<AnsweredBy>>);

impl AnswerRecord {
    /// Adds a turn.
    pub fn push(&self, answer: AnsweredBy) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() < MAX_ANSWERS {
            answers.push(answer);
        }
    }

    /// Takes all turns.
    pub fn take(&self) -> Vec<AnsweredBy> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
