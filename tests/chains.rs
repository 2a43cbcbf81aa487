//! Tests of `conversation.scripted` over real sockets.

mod step_selection;
mod steps;
mod directives;
mod tags;
mod errors;
mod fallback;
mod hostile;
mod malformed;
mod oddities;
mod pacing;
mod retries;
mod scrubbing;
mod stateless;
mod surfaces;

use mynah::internals::wire::proto::{ConversationMessage, ConversationRequestAlpha2};
use serde_json::{Value, json};
use tonic::{Code, Status};

use crate::support::{
    Sidecar,
    messages::{Answer, request, user},
};

/// Starts a sidecar with a scripted component named `echo` that has these metadata items.
pub fn scripted(metadata: &str) -> Sidecar {
    Sidecar::with_components(&component("echo", metadata))
}

/// Returns the YAML of a scripted component with these metadata items.
pub fn component(name: &str, metadata: &str) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
         spec:\n  type: conversation.scripted\n  version: v1\n  metadata: [{metadata}]\n"
    )
}

/// Returns a user message with a chain of these steps.
#[expect(clippy::needless_pass_by_value, reason = "callers can pass a `json!` literal")]
pub fn chain(steps: Value) -> ConversationMessage {
    tagged(&json!({"instruction_chain": steps}).to_string())
}

/// Returns a user message with this text between the tags.
pub fn tagged(inside: &str) -> ConversationMessage {
    user(&format!("Start <|instruction_start|>{inside}<|instruction_end|> now"))
}

/// Returns a step that answers with this text.
pub fn text(text: &str) -> Value {
    json!({"messages": [{"text": text}]})
}

/// Returns the answer of a new sidecar to a chain with one step.
async fn answer(step: Value) -> Answer {
    scripted("").converse(request([chain(json!([step]))])).await.unwrap()
}

/// Returns the text of the answer to these messages.
async fn content(sidecar: &Sidecar, messages: impl Into<Vec<ConversationMessage>>) -> String {
    sidecar.converse(request(messages)).await.unwrap().content
}

/// Makes a call that fails. Returns the status code and the error text without daprd's prefix.
async fn failure(sidecar: &Sidecar, request: ConversationRequestAlpha2) -> (Code, String) {
    let status = sidecar.converse(request).await.unwrap_err();
    (status.code(), reason(&status))
}

/// Returns the error text of a status without daprd's prefix.
fn reason(status: &Status) -> String {
    let reason = status.message().strip_prefix("failed conversing with component echo: ");
    reason.unwrap_or_else(|| panic!("{status:?}")).to_owned()
}

const LOREM: &str = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor \
    incididunt ut labore et dolore magna aliqua ut enim ad minim veniam quis nostrud exercitation \
    ullamco laboris nisi ut aliquip ex ea commodo consequat duis aute irure dolor in reprehenderit \
    in voluptate velit esse cillum dolore eu fugiat nulla pariatur excepteur sint occaecat \
    cupidatat non proident sunt in culpa qui officia deserunt mollit anim id est laborum";

/// Returns filler text with this number of words.
fn filler(words: usize) -> String {
    LOREM.split(' ').cycle().take(words).collect::<Vec<_>>().join(" ")
}
