//! Tests that an answer does not depend on the requests that the same thread answered before. Each
//! thread remembers what it computed for the tools of earlier requests.

use mynah::internals::wire::{
    json,
    proto::{ConversationRequestAlpha2, conversation_tools::ToolTypes},
};
use prost::Message;

use super::sentences;
use crate::support::Sidecar;

/// The bytes of the answers to a request over gRPC and HTTP.
type Answers = (Vec<u8>, Vec<u8>);

/// Returns requests with more sets of tools than a thread remembers. Some sets differ only in the
/// schemas.
fn requests() -> Vec<ConversationRequestAlpha2> {
    let with_variant = |request| [without_schemas(&request), request];
    sentences::requests().into_iter().flat_map(with_variant).collect()
}

fn without_schemas(request: &ConversationRequestAlpha2) -> ConversationRequestAlpha2 {
    let mut request = request.clone();
    for tool in &mut request.tools {
        let Some(ToolTypes::Function(function)) = &mut tool.tool_types else { continue };
        function.parameters = None;
    }
    request
}

/// Sends the requests one after another over one connection for each protocol.
async fn answers<'r>(
    sidecar: &Sidecar,
    requests: impl Iterator<Item = &'r ConversationRequestAlpha2>,
) -> Vec<Answers> {
    let mut client = sidecar.client().await;
    let mut answers = Vec::new();
    for request in requests {
        let grpc = client.converse_alpha2(request.clone()).await.expect("an answer").into_inner();
        let body = json::write(request).expect("JSON");
        let http = sidecar.post("/v1.0-alpha2/conversation/echo/converse", body).await;
        answers.push((grpc.encode_to_vec(), http.body.into()));
    }
    answers
}

#[tokio::test]
async fn answers_do_not_depend_on_earlier_requests() {
    let requests = requests();
    let first = answers(&Sidecar::start(), requests.iter()).await;
    let sidecar = Sidecar::start();
    let mut backward = answers(&sidecar, requests.iter().rev()).await;
    backward.reverse();
    // Each request is sent twice in a row, so that the second answer uses what the first computed.
    let repeated = answers(&sidecar, requests.iter().flat_map(|request| [request; 2])).await;
    for (at, request) in requests.iter().enumerate() {
        let all = [&first[at], &backward[at], &repeated[2 * at], &repeated[2 * at + 1]];
        assert!(all.iter().all(|answers| *answers == all[0]), "{request:?}\n{all:?}");
    }
}
