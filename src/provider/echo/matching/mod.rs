//! Which tools the user asked for.
//!
//! The words of the names are numbered ([`terms`]), and an index leads from a word to the tools
//! that it may mention ([`index`]). The texts are read once, newest first, word by word
//! ([`words`]); at the end of a sentence the [`rules`] are applied to the tools to which its words
//! led. So the work is linear in texts and names, and where a client contrives that it is not, a
//! [`budget`] ends it. Of long texts only the sentences are read that a [`filter`] lets
//! through.

mod budget;
mod filter;
mod index;
mod ledger;
mod links;
mod names;
mod pairs;
mod plural;
mod rules;
mod search;
mod sentence;
mod terms;
#[cfg(test)]
mod tests;
mod vocabulary;
mod words;

use budget::Budget;
use filter::Filter;
use index::Index;
use ledger::Ledger;
use names::Names;
use search::Search;

use crate::chat::{Message, Role, Tool};

/// To read so many bytes costs less than to build a filter.
const SHORT: usize = 128;

/// A tool that the user asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mention {
    /// Its place among the tools of the request.
    pub(crate) tool: usize,
    /// The place of its latest mention among the messages of the request.
    pub(crate) message: usize,
}

/// The tools that the user asked for and that were not called since, in the order of the tools.
pub(crate) fn mentions(messages: &[Message], tools: &[Tool]) -> Vec<Mention> {
    let mut budget = Budget::of_one_call();
    let mentions = mentions_within(&mut budget, messages, tools);
    if budget.is_exhausted() {
        tracing::warn!("too many tools for too long a text: the rest of it mentions no tool");
    }
    mentions
}

fn mentions_within(budget: &mut Budget, messages: &[Message], tools: &[Tool]) -> Vec<Mention> {
    let user_messages =
        || messages.iter().enumerate().rev().filter(|(_, message)| message.role == Role::User);
    let mut ledger = Ledger::new(messages, tools);
    // Most requests end here: no tools, or all of them called.
    if !user_messages().next().is_some_and(|(latest, _)| ledger.any_open(latest)) {
        return Vec::new();
    }
    let names = Names::of(ledger.names(tools));
    let index = Index::of(&names);
    let length: usize = user_messages().map(|(_, message)| message.text_len()).sum();
    let filter = if length > SHORT { Filter::of(&index) } else { None };
    let mut search = Search::new(&index, filter.as_ref(), &mut ledger, budget);
    for (at, message) in user_messages() {
        if !search.may_gain(at) || search.read(at, &message.text()).is_err() {
            break;
        }
    }
    ledger.mentions()
}
