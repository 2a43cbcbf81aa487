//! Tests of simulated conversations.

mod doubles;

mod command;
mod deploy;
mod detectors;
mod examples;
mod files;
mod http;
mod inputs;
mod library;
mod kept_answers;
mod models;
mod participants;
pub(crate) mod play;
mod recorded;
pub(crate) mod reports;
mod runner;
mod runs;

use mynah::simulate::{Conversation, ParticipantRole};

/// Returns the messages as text, such as `C: hello`.
fn texts(conversation: &Conversation) -> Vec<String> {
    let text = |message: &mynah::simulate::SentMessage| {
        let initial = match message.sender {
            ParticipantRole::Customer => "C",
            ParticipantRole::Agent => "A",
        };
        format!("{initial}: {}", message.content)
    };
    conversation.messages.iter().map(text).collect()
}
