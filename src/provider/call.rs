//! What a sidecar knows of a call.

use std::sync::{Arc, Mutex, PoisonError};

/// The session of calls that name none.
pub(crate) const DEFAULT_SESSION: &str = "default";
/// Maximum number of recorded answers of one call.
const MAX_ANSWERS: usize = 64;

/// The API through which a call arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Surface {
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
    pub(crate) const ALL: [Self; 4] = [Self::Grpc, Self::Http, Self::OpenAi, Self::Component];

    /// Returns the name of the surface in files and in the journal.
    pub(crate) fn as_str(self) -> &'static str {
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
pub(crate) enum AnsweredBy {
    /// A rule.
    Rule {
        /// The name of the rule, or its number.
        rule: Arc<str>,
        /// The entry of the rule's chain or sequence, from 1.
        step: Option<usize>,
    },
    /// An instruction chain.
    Chain {
        /// The message with the chain, from 1.
        message: usize,
        /// The step of the chain, from 1.
        step: usize,
    },
}

/// Where providers record what made an answer. It exists only if the journal wants it.
#[derive(Debug, Default)]
pub(crate) struct Answers(Mutex<Vec<AnsweredBy>>);

impl Answers {
    /// Adds a turn.
    pub(crate) fn push(&self, answer: AnsweredBy) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() < MAX_ANSWERS {
            answers.push(answer);
        }
    }

    /// Takes all turns.
    pub(crate) fn take(&self) -> Vec<AnsweredBy> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
