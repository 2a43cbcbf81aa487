//! Why a run or a merge fails.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use thiserror::Error as ThisError;
use tokio::task::JoinError;

use super::shard::Shard;

/// A run or a merge that failed.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum RunError {
    /// A file or folder cannot be used.
    #[error("cannot {action} {}", path.display())]
    File {
        /// What was tried.
        action: Action,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A result cannot be stored. The results before it can be read.
    #[error(
        "cannot write to {}, which has {stored} of {conversations} conversations; to play the others, \
         solve the problem and run the same command again", path.display()
    )]
    Store {
        /// The file.
        path: PathBuf,
        /// The number of conversations in the file.
        stored: usize,
        /// The number of conversations that the file should have.
        conversations: usize,
        /// The cause.
        source: io::Error,
    },
    /// The file has the results of another run.
    #[error(
        "{} belongs to another run: {difference}; {advice}; to keep it, use another folder",
        path.display()
    )]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// What is different.
        difference: String,
        /// How to replace the file.
        advice: Advice,
    },
    /// The file does not start like the results of a run.
    #[error("{}:1: not the first line of the results of a run{}", path.display(), after(*advice))]
    NotResults {
        /// The file.
        path: PathBuf,
        /// How to replace the file, unless it is only read.
        advice: Option<Advice>,
    },
    /// A line is not a result.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, counted from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// Another process is writing results to the same folder.
    #[error("another process is writing to {}", folder.display())]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// The run was cancelled. Its results so far are stored.
    #[error(
        "cancelled after {stored} of {conversations} conversations; to continue, run the same command \
         again"
    )]
    Cancelled {
        /// The number of stored conversations.
        stored: usize,
        /// The number of conversations.
        conversations: usize,
    },
    /// The task of a conversation was aborted.
    #[error("a conversation was aborted")]
    Aborted(#[source] JoinError),
    /// A merge without folders.
    #[error("there is nothing to merge; name the folders of the shards")]
    NoShards,
    /// The shards to merge are not of the same run.
    #[error("{} and {} are not of the same run: {difference}", first.display(), second.display())]
    DifferentRuns {
        /// A file.
        first: PathBuf,
        /// A file that does not fit.
        second: PathBuf,
        /// What is different.
        difference: String,
    },
    /// A conversation is in two of the files to merge.
    #[error("conversation {index} is in both {} and {}", first.display(), second.display())]
    Twice {
        /// Position of the conversation in the run.
        index: usize,
        /// A file with the conversation.
        first: PathBuf,
        /// Another file with the conversation.
        second: PathBuf,
    },
    /// The files to merge do not have all conversations.
    #[error("{missing}")]
    Missing {
        /// What is missing.
        missing: MissingConversations,
    },
}

/// What was tried with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Creating it.
    Create,
    /// Opening it.
    Open,
    /// Reading it.
    Read,
    /// Writing it.
    Write,
}

/// How to replace a file that a run or a merge does not replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// With an option of the run.
    Fresh,
    /// By deleting it first.
    Delete,
}

impl RunError {
    /// Adds how to replace a file that is not the results of a run.
    pub(super) fn advise(self, advice: Advice) -> Self {
        match self {
            Self::NotResults { path, .. } => Self::NotResults { path, advice: Some(advice) },
            other => other,
        }
    }
}

/// The conversations that no shard has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingConversations {
    /// The number of missing conversations.
    pub count: usize,
    /// The number of conversations in the run.
    pub conversations: usize,
    /// The positions of the first of them.
    pub first: Vec<usize>,
    /// The first of their shards.
    pub shards: Vec<Shard>,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Create => "create",
            Self::Open => "open",
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fresh => "to replace it, use --fresh",
            Self::Delete => "to replace it, delete it first",
        })
    }
}

fn after(advice: Option<Advice>) -> String {
    advice.map_or_else(String::new, |advice| format!("; {advice}"))
}

impl fmt::Display for MissingConversations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, conversations, first, shards } = self;
        write!(f, "{count} of {conversations} conversations are missing: {}", join(first))?;
        f.write_str(if first.len() < *count { ", …" } else { "" })?;
        write!(f, "; finish shard {} first", join(shards))
    }
}

fn join<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// Returns a function that adds the file to an error.
pub(crate) fn file_error(action: Action, path: &Path) -> impl FnOnce(io::Error) -> RunError {
    move |source| RunError::File { action, path: path.to_owned(), source }
}
