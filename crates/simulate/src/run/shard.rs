//! The part of a run that one machine plays.

use std::{fmt, iter::StepBy, num::NonZeroUsize, ops::Range, str::FromStr};

use serde::{Deserialize, Serialize};
use thiserror::Error as ThisError;

/// One of several equal parts of a run, written as `0/3`. Conversation `k` belongs to the shard with
/// the number `k` modulo the number of shards.
///
/// ```
/// use mynah_simulate::Shard;
/// let shard: Shard = "1/3".parse()?;
/// assert_eq!(shard.conversations(8).collect::<Vec<_>>(), [1, 4, 7]);
/// assert!("3/3".parse::<Shard>().is_err());
/// # Ok::<(), mynah_simulate::ShardError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    index: usize,
    count: NonZeroUsize,
}

/// A shard that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("invalid shard {0:?}; expected a number from 0 and the number of shards, such as 0/3")]
pub struct ShardError(String);

impl Shard {
    /// Returns the only shard of a run that is not divided.
    pub(super) fn whole() -> Self {
        Self { index: 0, count: NonZeroUsize::MIN }
    }

    /// Returns `true` if a conversation belongs to the shard.
    pub fn contains(self, conversation: usize) -> bool {
        conversation % self.count == self.index
    }

    /// Returns the shard that a conversation belongs to if a run has as many shards as here.
    pub(super) fn of(self, conversation: usize) -> Self {
        Self { index: conversation % self.count, ..self }
    }

    /// Returns the conversations of the shard in a run with this many conversations.
    pub fn conversations(self, all: usize) -> StepBy<Range<usize>> {
        (self.index.min(all)..all).step_by(self.count.get())
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let parse = || {
            let (index, count) = text.split_once('/')?;
            let (index, count) = (index.parse().ok()?, count.parse::<NonZeroUsize>().ok()?);
            (index < count.get()).then_some(Self { index, count })
        };
        parse().ok_or_else(|| ShardError(text.to_owned()))
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Self, ShardError> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}
