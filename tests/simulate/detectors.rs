//! Tests of detectors, judges and the extraction of intents.

mod models;
mod rules;

use mynah::simulate::{
    Conversation, MadeCall, Outcome, Outcomes, ParticipantRole, SentMessage, Timestamp,
};

const CUSTOMER: ParticipantRole = ParticipantRole::Customer;
const AGENT: ParticipantRole = ParticipantRole::Agent;

/// Returns a conversation of these messages, such as `C: hello` or `A: done [close_ticket]`.
fn conversation(messages: &[&str]) -> Conversation {
    let message = |text: &&str| {
        let (initial, text) = text.split_once(": ").unwrap();
        let (content, tool) = text.split_once(" [").unwrap_or((text, ""));
        let call = |name: &str| MadeCall {
            name: name.to_owned(),
            arguments: "{}".to_owned(),
            result: "ok".to_owned(),
        };
        let tool = tool.trim_end_matches(']');
        SentMessage {
            content: content.to_owned(),
            timestamp: Timestamp::UNIX_EPOCH,
            sender: if initial == "C" { CUSTOMER } else { AGENT },
            tool_calls: Some(tool).filter(|name| !name.is_empty()).map(call).into_iter().collect(),
        }
    };
    Conversation { messages: messages.iter().map(message).collect(), ..Conversation::default() }
}

fn outcomes() -> Outcomes {
    let resolved = Outcome::new("resolved", "The issue was resolved");
    Outcomes::new(vec![resolved, Outcome::new("escalated", "A supervisor took over")]).unwrap()
}
