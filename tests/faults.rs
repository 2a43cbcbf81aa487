//! Tests of faults in the metadata of components.

mod control;
mod counts;
mod effects;
mod surfaces;

use mynah::internals::wire::proto::{ConversationRequestAlpha2, ConversationResponseAlpha2};
use serde_json::Value;
use tonic::{Code, Request, Status};

use crate::support::Sidecar;

const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";
const COMPLETIONS: &str = "/v1/chat/completions";

/// Returns the YAML of an echo component with these faults.
#[expect(clippy::needless_pass_by_value, reason = "callers can pass a `json!` literal")]
fn component(name: &str, faults: Value) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
         spec:\n  type: conversation.echo\n  version: v1\n  \
         metadata: [{{name: faults, value: '{faults}'}}]\n"
    )
}

/// Starts a sidecar with the component `echo`, which has these faults.
fn faulty(faults: Value) -> Sidecar {
    Sidecar::with_components(&component("echo", faults))
}

/// Makes a call in a session.
async fn converse_in(
    sidecar: &Sidecar,
    session: &str,
    request: ConversationRequestAlpha2,
) -> Result<ConversationResponseAlpha2, Status> {
    let mut call = Request::new(request);
    call.metadata_mut().insert("mynah-session", session.parse().unwrap());
    sidecar.client().await.converse_alpha2(call).await.map(tonic::Response::into_inner)
}

/// Returns the code of each of a number of calls in a session.
async fn codes(
    sidecar: &Sidecar,
    session: &str,
    request: &ConversationRequestAlpha2,
    calls: usize,
) -> Vec<Code> {
    let mut codes = Vec::new();
    for _ in 0..calls {
        let result = converse_in(sidecar, session, request.clone()).await;
        codes.push(result.err().map_or(Code::Ok, |status| status.code()));
    }
    codes
}
