//! The first line of results.jsonl.

use serde::{Deserialize, Serialize};

use super::shard::Shard;
use crate::Clock;

/// The first line of results.jsonl, which identifies the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    /// Name of the run.
    pub(crate) run: String,
    /// Hash of the simulate file and its inputs.
    pub(crate) hash: String,
    /// The number of scenarios.
    pub(crate) scenarios: usize,
    /// The number of conversations in all shards.
    pub(crate) conversations: usize,
    /// What the times follow. With the real clock, two runs differ.
    #[serde(default, skip_serializing_if = "Clock::is_virtual")]
    pub(crate) clock: Clock,
    /// The shard, if the run is divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<Shard>,
}

impl Header {
    /// Returns the shard, or the only shard of a run that is not divided.
    pub(super) fn shard(&self) -> Shard {
        self.shard.unwrap_or_else(Shard::whole)
    }

    /// Describes how the run of `other` differs from this run, apart from the shard.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        if self.run != other.run {
            return Some(format!("its name is {:?}, not {:?}", other.run, self.run));
        }
        let same = self.hash == other.hash && self.conversations == other.conversations;
        (!same).then(|| "the simulate file or its inputs have changed".to_owned())
    }

    /// Describes how the shard of `other` differs from this shard.
    pub(super) fn shard_difference(&self, other: &Self) -> Option<String> {
        let name = |shard: Option<Shard>| {
            shard.map_or("the whole run".to_owned(), |shard| format!("shard {shard}"))
        };
        (self.shard != other.shard)
            .then(|| format!("it is {}, not {}", name(other.shard), name(self.shard)))
    }
}
