//! Finds the tools that the user asks for.
//!
//! The names of the offered tools are indexed by word ([`index`]). A serving thread keeps the index
//! for the next request with the same tools. User messages are searched from newest to oldest
//! ([`search`]). A [`filter`] finds the sentences that may mention a tool. Each of them is split
//! into words ([`occurrences`]) to which the [`rules`] are applied.
//!
//! The work is normally linear in the length of the texts and names. If a client crafts input that
//! needs more work, a [`work_budget`] ends the search.

mod arithmetic;
mod by_values;
mod categories;
mod filter;
mod index;
mod matches;
mod mention_tracker;
mod occurrences;
mod openings;
mod partial;
mod partial_tool;
mod requests;
mod rules;
mod schemas;
mod search;
mod spellings;
mod terms;
#[cfg(test)]
mod tests;
mod work_budget;

use std::{cell::RefCell, ops::Range, rc::Rc};

use mynah_core::{
    chat::{Message, Role, Tool},
    provider::{
        Unseen,
        recently_used::{MAX_ENTRIES, RecentlyUsed},
    },
};

use index::{ToolIndex, description};
use mention_tracker::MentionTracker;
use schemas::Schemas;
use search::Searcher;
use work_budget::WorkBudget;

use super::{
    effort::{Effort, Unfinished},
    facts::Reading,
};

/// Maximum length in bytes of all user messages that a brief effort searches.
const MAX_BRIEF_TEXT: usize = 32 * 1024;
/// Maximum length in bytes of all tool names that a brief effort searches for. Each name counts as
/// [`TOOL_LEN`] bytes more.
const MAX_BRIEF_NAMES: usize = 8 * 1024;
const TOOL_LEN: usize = 16;
/// Maximum length in bytes of all descriptions that a brief effort reads.
const MAX_BRIEF_DESCRIPTIONS: usize = 32 * 1024;
/// The length in bytes of all user messages up to which no filter is built.
const MAX_UNFILTERED: usize = 512;

thread_local! {
    /// The indexes of the tools in the latest requests.
    static INDEXES: RefCell<RecentlyUsed<ToolIndex>> =
        const { RefCell::new(RecentlyUsed::new(MAX_ENTRIES)) };
}

/// A tool that the user asked for.
#[derive(Clone)]
pub(crate) struct Mention {
    /// Index of the tool in the request.
    pub(crate) tool: usize,
    /// Index of the latest message in the request that mentions the tool.
    pub(crate) message: usize,
    /// That message, as far as it has been read.
    pub(crate) reading: Rc<Reading>,
    /// The bytes of the first sentence in the message's text that mentions the tool.
    pub(crate) sentence: Range<usize>,
    /// The bytes of the part of the sentence that is about this tool: up to the mention of another.
    pub(crate) clause: Range<usize>,
    /// The name of the rule that matches.
    pub(crate) rule: &'static str,
    /// The bytes from the first word that matches to the last.
    pub(crate) words: Range<usize>,
}

/// Returns a mention of each tool that the user asked for and that has not been called since, in
/// the order of `tools`.
pub(crate) fn mentions(
    messages: &[Message],
    tools: &[Tool],
    unseen: Option<&Unseen>,
    effort: &Effort,
) -> Result<Vec<Mention>, Unfinished> {
    let names: usize = tools.iter().map(|tool| TOOL_LEN + tool.name.len()).sum();
    let descriptions: usize = tools.iter().map(|tool| description(tool).len()).sum();
    effort.allow(
        names > MAX_BRIEF_NAMES
            || descriptions > MAX_BRIEF_DESCRIPTIONS
            || user_text_len(messages) > MAX_BRIEF_TEXT,
    )?;
    let mut budget = WorkBudget::for_one_call(effort);
    let index = match effort {
        Effort::Brief => INDEXES.with_borrow_mut(|indexes| index(tools, indexes)),
        Effort::Full(_) => Rc::new(ToolIndex::new(tools)),
    };
    let schemas = Schemas::new(tools, effort);
    let mentions = mentions_within(&mut budget, messages, (&index, &schemas), unseen);
    effort.allow(budget.is_exhausted())?;
    if budget.is_exhausted() && !effort.is_cancelled() {
        tracing::warn!(
            "work limit reached: the rest of the history is not searched for mentioned tools"
        );
    }
    Ok(mentions)
}

/// Returns the index of the tools, which is built unless `indexes` contains it.
fn index(tools: &[Tool], indexes: &mut RecentlyUsed<ToolIndex>) -> Rc<ToolIndex> {
    let build = || {
        let index = ToolIndex::new(tools);
        let size = index.size();
        (index, size)
    };
    indexes.get(|index| index.is_for(tools), build)
}

fn user_text_len(messages: &[Message]) -> usize {
    user_messages(messages).map(|(_, message)| message.text_len()).sum()
}

/// Returns the messages of the user with their indexes, latest first.
fn user_messages(messages: &[Message]) -> impl Iterator<Item = (usize, &Message)> {
    messages.iter().enumerate().rev().filter(|(_, message)| message.role == Role::User)
}

fn mentions_within(
    budget: &mut WorkBudget,
    messages: &[Message],
    (index, schemas): (&ToolIndex, &Schemas),
    unseen: Option<&Unseen>,
) -> Vec<Mention> {
    let tracker = MentionTracker::new(messages, index, unseen);
    let is_long = user_text_len(messages) > MAX_UNFILTERED;
    let mut searcher = Searcher { index, schemas, is_long, budget, tracker };
    let mut is_last = true;
    for (at, message) in user_messages(messages) {
        let text = message.text();
        if !searcher.tracker.any_pending(at) || searcher.search(at, &text, is_last).is_err() {
            break;
        }
        is_last = false;
    }
    searcher.tracker.into_mentions()
}
