//! Finds the tools that the user asks for.
//!
//! The words of the tools' names are interned ([`terms`]), and an [`index`] maps them to the tools
//! that they may mention. User messages are searched once ([`search`]), newest first: a
//! [`prefilter`] skips most sentences of long texts, and the rest is split into [`tokens`]. At the
//! end of each [`sentence`], the [`rules`] are applied to the candidate tools.
//!
//! The work is linear in the length of texts and names. If a client crafts input for which it
//! is not, a [`work_budget`] ends the search.

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

use crate::chat::{Message, Role, Tool};

/// Searching texts of up to this many bytes is cheaper than building a prefilter.
const MAX_UNFILTERED: usize = 128;

/// Returns the tools that the user asked for and that have not been called since, in the order of the
/// tools.
pub(crate) fn mentions(messages: &[Message], tools: &[Tool]) -> Vec<Mention> {
    let mut budget = WorkBudget::for_one_call();
    let mentions = mentions_within(&mut budget, messages, tools);
    if budget.is_exhausted() {
        tracing::warn!(
            "matching is too expensive: the rest of the text is not searched for mentioned tools"
        );
    }
    mentions
}

fn mentions_within(budget: &mut WorkBudget, messages: &[Message], tools: &[Tool]) -> Vec<Mention> {
    let user_messages =
        || messages.iter().enumerate().rev().filter(|(_, message)| message.role == Role::User);
    let mut tracker = MentionTracker::new(messages, tools);
    // In most requests there are no tools, or all of them have been called already.
    if !user_messages().next().is_some_and(|(latest, _)| tracker.any_pending(latest)) {
        return Vec::new();
    }
    let names = ToolNames::new(tracker.names(tools));
    let index = Index::new(&names);
    let length: usize = user_messages().map(|(_, message)| message.text_len()).sum();
    let prefilter = if length > MAX_UNFILTERED { Prefilter::new(&index) } else { None };
    let mut searcher = Searcher::new(&index, prefilter.as_ref(), &mut tracker, budget);
    for (index, message) in user_messages() {
        if !searcher.any_pending(index) || searcher.search(index, &message.text()).is_err() {
            break;
        }
    }
    tracker.mentions()
}
