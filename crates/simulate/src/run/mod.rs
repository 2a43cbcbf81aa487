//! Runs: many conversations side by side, with their results in a file that a restart continues.
//!
//! `results.jsonl` starts with a line about the run. Each conversation is one more line, appended when
//! the conversation ends. At the end of the run, the file is rewritten in the order of the
//! conversations, so that two runs write the same bytes.
//!
//! The place of each conversation in the file stays in memory, which grows by some dozens of bytes with
//! each conversation.

// shard     the part of a run that one machine plays
// error     why a run or a merge fails
// scan      reads a complete or interrupted results.jsonl
// store     appends results and rewrites them in order
// tally     counts outcomes and failures
// execute   plays the conversations of a run, and measures their times
// merge     joins the results of shards

mod error;
mod execute;
mod merge;
mod scan;
mod shard;
mod store;
mod tally;

pub(crate) use self::{
    error::file_error,
    scan::{Header, Lines, Span, read_header},
    store::{RESULTS, write_file},
};
pub use self::{
    error::{Action, Advice, MissingConversations, RunError},
    execute::{RunIdentity, RunProgress, RunSettings, run},
    merge::merge,
    shard::{Shard, ShardError},
    store::EarlierResults,
    tally::{RunSummary, Tally},
};
