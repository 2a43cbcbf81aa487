//! Finds the tools that the user asks for.
//!
//! The words in tool names are interned ([`terms`]). An [`index`] maps each word to the tools that
//! it may mention. User messages are searched from newest to oldest ([`search`]). In long texts, a
//! [`prefilter`] skips most sentences. The remaining text is split into [`tokens`]. At the end of
//! each [`sentence`], the [`rules`] are applied to the tools that the sentence may mention.
//!
//! The work is normally linear in the length of the texts and names. If a client crafts input that
//! needs more work, a [`work_budget`] ends the search.

mod addresses;
mod index;
mod mention;
mod mention_tracker;
mod multimap;
mod plural;
mod prefilter;
mod rules;
mod search;
mod sentence;
mod terms;
#[cfg(test)]
mod tests;
mod tokens;
mod tool_names;
mod word_lists;
mod work_budget;

use index::Index;
use mention_tracker::MentionTracker;
use prefilter::Prefilter;
use search::Searcher;
use tool_names::ToolNames;
use work_budget::WorkBudget;

pub(crate) use mention::Mention;

use super::effort::{Effort, Unfinished};
use crate::chat::{Message, Role, Tool};

/// Maximum length in bytes of all user messages that a brief effort searches.
const MAX_BRIEF_TEXT: usize = 32 * 1024;
/// Maximum length in bytes of all tool names that a brief effort searches for. Each name counts as
/// [`TOOL_LEN`] bytes more.
const MAX_BRIEF_NAMES: usize = 8 * 1024;
const TOOL_LEN: usize = 16;
/// The length in bytes up to which searching all text is cheaper than building a prefilter.
const MAX_UNFILTERED: usize = 128;

/// Returns a mention of each tool that the user asked for and that has not been called since, in
/// the order of `tools`.
pub(crate) fn mentions(
    messages: &[Message],
    tools: &[Tool],
    effort: &Effort,
) -> Result<Vec<Mention>, Unfinished> {
    let names: usize = tools.iter().map(|tool| TOOL_LEN + tool.name.len()).sum();
    effort.allow(names > MAX_BRIEF_NAMES || user_text_len(messages) > MAX_BRIEF_TEXT)?;
    let mut budget = WorkBudget::for_one_call(effort);
    let mentions = mentions_within(&mut budget, messages, tools);
    effort.allow(budget.is_exhausted())?;
    if budget.is_exhausted() && !effort.is_cancelled() {
        tracing::warn!(
            "work limit reached: the rest of the history is not searched for mentioned tools"
        );
    }
    Ok(mentions)
}

fn user_text_len(messages: &[Message]) -> usize {
    user_messages(messages).map(|(_, message)| message.text_len()).sum()
}

/// Returns the messages of the user with their indexes, latest first.
fn user_messages(messages: &[Message]) -> impl Iterator<Item = (usize, &Message)> {
    messages.iter().enumerate().rev().filter(|(_, message)| message.role == Role::User)
}

fn mentions_within(budget: &mut WorkBudget, messages: &[Message], tools: &[Tool]) -> Vec<Mention> {
    let mut tracker = MentionTracker::new(messages, tools);
    // In most requests, there are no tools or all of them have already been called.
    if !user_messages(messages).next().is_some_and(|(latest, _)| tracker.any_pending(latest)) {
        return Vec::new();
    }
    let names = ToolNames::new(tracker.names(tools));
    let index = Index::new(&names);
    let prefilter =
        if user_text_len(messages) > MAX_UNFILTERED { Prefilter::new(&index) } else { None };
    let mut searcher = Searcher::new(&index, prefilter.as_ref(), &mut tracker, budget);
    for (index, message) in user_messages(messages) {
        if !searcher.any_pending(index) || searcher.search(index, &message.text()).is_err() {
            break;
        }
    }
    tracker.mentions()
}
