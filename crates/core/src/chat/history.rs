//! Checks that the tool calls and results in a history match, as real models require.

use std::collections::BTreeSet;

use thiserror::Error as ThisError;

use super::{Message, Role, ToolCall};
use crate::base::text::shorten;

/// Maximum number of characters of an id or a name in an error.
const MAX_SHOWN: usize = 100;

/// The reason why the tool calls and results in a history do not match. Messages are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum HistoryError {
    /// No call before a result has its id.
    #[error(
        "message {message}: role 'tool' must follow a message with 'tool_calls' that holds id `{id}`"
    )]
    UnknownResult {
        /// The number of the message with the result.
        message: usize,
        /// The id.
        id: String,
    },
    /// A result has no id.
    #[error("message {message}: role 'tool' needs the id of a call in the message before")]
    ResultWithoutId {
        /// The number of the message with the result.
        message: usize,
    },
    /// A call has no id.
    #[error("message {message}: the call of tool `{tool}` has no id")]
    CallWithoutId {
        /// The number of the message with the call.
        message: usize,
        /// The name of the tool.
        tool: String,
    },
    /// The messages after a call do not begin with its result.
    #[error("message {message}: tool call `{id}` has no result")]
    MissingResult {
        /// The number of the message with the call.
        message: usize,
        /// The id of the call.
        id: String,
    },
    /// Two calls or two results have the same id.
    #[error("message {message}: tool call id `{id}` is used twice")]
    RepeatedId {
        /// The number of the message that repeats the id.
        message: usize,
        /// The id.
        id: String,
    },
}

/// Checks that every call is followed by its result, and that every result follows its call.
///
/// # Errors
///
/// Fails with the first call or result that does not match.
pub fn check_history(messages: &[Message]) -> Result<(), HistoryError> {
    let mut history = History::default();
    for (message, number) in messages.iter().zip(1..) {
        match &message.role {
            Role::Tool { id, .. } => history.add_result(number, id.as_deref())?,
            _ => {
                history.check_results()?;
                history.add_calls(number, message.tool_calls())?;
            }
        }
    }
    history.check_results()
}

/// The calls and results up to a message.
#[derive(Default)]
struct History<'m> {
    /// The number of the message with the latest calls.
    message: usize,
    /// The ids of the latest calls, in order.
    latest: Vec<&'m str>,
    /// The ids of all calls.
    called: BTreeSet<&'m str>,
    /// The ids of the latest calls without a result.
    open: BTreeSet<&'m str>,
    /// The ids of the latest calls with a result.
    answered: BTreeSet<&'m str>,
}

impl<'m> History<'m> {
    fn add_calls(&mut self, message: usize, calls: &'m [ToolCall]) -> Result<(), HistoryError> {
        self.message = message;
        self.latest.clear();
        self.open.clear();
        self.answered.clear();
        for call in calls {
            let Some(id) = call.id.as_deref().filter(|id| !id.is_empty()) else {
                return Err(HistoryError::CallWithoutId { message, tool: shown(&call.name) });
            };
            if !self.called.insert(id) {
                return Err(HistoryError::RepeatedId { message, id: shown(id) });
            }
            self.latest.push(id);
            self.open.insert(id);
        }
        Ok(())
    }

    fn add_result(&mut self, message: usize, id: Option<&'m str>) -> Result<(), HistoryError> {
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            return Err(HistoryError::ResultWithoutId { message });
        };
        if self.open.remove(id) {
            self.answered.insert(id);
            return Ok(());
        }
        let (is_repeated, id) = (self.answered.contains(id), shown(id));
        Err(match is_repeated {
            true => HistoryError::RepeatedId { message, id },
            false => HistoryError::UnknownResult { message, id },
        })
    }

    /// Checks that the latest calls have results.
    fn check_results(&self) -> Result<(), HistoryError> {
        let missing = self.latest.iter().find(|id| self.open.contains(*id));
        missing.map_or(Ok(()), |id| {
            Err(HistoryError::MissingResult { message: self.message, id: shown(id) })
        })
    }
}

fn shown(text: &str) -> String {
    shorten(text, MAX_SHOWN).into_owned()
}
