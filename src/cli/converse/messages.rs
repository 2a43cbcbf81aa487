//! Creates Dapr messages from plain text.

use crate::wire::proto::{
    ConversationInputAlpha2, ConversationMessage, ConversationMessageContent,
    ConversationMessageOfSystem, ConversationMessageOfUser, conversation_message::MessageTypes,
};

pub(super) fn input(messages: Vec<ConversationMessage>) -> ConversationInputAlpha2 {
    ConversationInputAlpha2 { messages, scrub_pii: None }
}

pub(super) fn system(text: &str) -> ConversationMessage {
    let message = ConversationMessageOfSystem { name: None, content: content(text) };
    ConversationMessage { message_types: Some(MessageTypes::OfSystem(message)) }
}

pub(super) fn user(text: &str) -> ConversationMessage {
    let message = ConversationMessageOfUser { name: None, content: content(text) };
    ConversationMessage { message_types: Some(MessageTypes::OfUser(message)) }
}

fn content(text: &str) -> Vec<ConversationMessageContent> {
    vec![ConversationMessageContent { text: text.to_owned() }]
}
