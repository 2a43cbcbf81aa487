//! `conversation.scripted` over real sockets.

mod step_selection;
mod steps;
mod errors;
mod fallback;
mod hostile;
mod pacing;
mod scrubbing;
mod stateless;
mod surfaces;

use mynah::wire::proto::{ConversationMessage, ConversationRequestAlpha2};
use serde_json::{Value, json};
use tonic::{Code, Status};

use crate::support::{
    Sidecar,
    messages::{Answer, request, user},
};

/// A sidecar whose component `echo` is scripted, with these lines of metadata.
pub fn scripted(metadata: &str) -> Sidecar {
    Sidecar::with_components(&component("echo", metadata))
}

/// A scripted component.
fn component(name: &str, metadata: &str) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
         spec:\n  type: conversation.scripted\n  version: v1\n  metadata: [{metadata}]\n"
    )
}

/// A user message that holds a chain of these steps.
#[expect(clippy::needless_pass_by_value, reason = "calls read better with a literal")]
pub fn chain(steps: Value) -> ConversationMessage {
    tagged(&json!({"instruction_chain": steps}).to_string())
}

/// A user message with anything between the tags.
pub fn tagged(inside: &str) -> ConversationMessage {
    user(&format!("Start <|instruction_start|>{inside}<|instruction_end|> now"))
}

/// A step of one text.
pub fn text(text: &str) -> Value {
    json!({"messages": [{"text": text}]})
}

/// What a sidecar answers to a step, and to nothing else.
async fn answer(step: Value) -> Answer {
    scripted("").converse(request([chain(json!([step]))])).await.unwrap()
}

async fn content(sidecar: &Sidecar, messages: impl Into<Vec<ConversationMessage>>) -> String {
    sidecar.converse(request(messages)).await.unwrap().content
}

/// How a call fails, in gRPC's words, without what daprd says first.
async fn failure(sidecar: &Sidecar, asked: ConversationRequestAlpha2) -> (Code, String) {
    let status = sidecar.converse(asked).await.unwrap_err();
    (status.code(), reason(&status))
}

fn reason(status: &Status) -> String {
    let said = status.message().strip_prefix("failed conversing with component echo: ");
    said.unwrap_or_else(|| panic!("{status:?}")).to_owned()
}
