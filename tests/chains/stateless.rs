//! Tests that the sidecar keeps no state between turns: only the history determines the answer.

use futures_util::future;
use mynah::internals::wire::proto::ConversationRequestAlpha2;
use prost::Message;
use serde_json::{Value, json};

use super::{chain, scripted};
use crate::support::{
    Sidecar,
    messages::{assistant_with_calls, request, tool, tool_call, tool_result, user},
};

const TURNS: usize = 5;

/// A conversation with a chain that has a different text for each turn.
struct Conversation {
    name: String,
    request: ConversationRequestAlpha2,
}

impl Conversation {
    fn new(name: &str) -> Self {
        let step = |turn: usize| {
            json!({"messages": [
                {"text": format!("{name} {turn}")}, {"tool_call": [{"name": "f", "args": {"turn": turn}}]},
            ]})
        };
        let steps: Vec<Value> = (0..TURNS).map(step).collect();
        let mut request = request([chain(steps.into())]);
        request.tools = vec![tool("f", Value::Null)];
        Self { name: name.to_owned(), request }
    }

    /// Sends the request, checks the answer and appends it to the history. Returns the call's id.
    async fn turn(&mut self, sidecar: &Sidecar, turn: usize) -> String {
        let answer = sidecar.converse(self.request.clone()).await.unwrap();
        assert_eq!(answer.content, format!("{} {turn}", self.name));
        assert_eq!(answer.calls[0].arguments, json!({"turn": turn}));
        let id = answer.calls[0].id.clone();
        self.request.inputs[0].messages.extend([
            assistant_with_calls(&answer.content, [tool_call(&id, "f", "{}")]),
            tool_result(&id, "f", "done"),
            user("go on"),
        ]);
        id
    }
}

#[tokio::test]
async fn answers_a_repeated_request_with_the_same_bytes() {
    let sidecar = scripted("");
    let request = Conversation::new("c").request;
    let mut bytes = Vec::new();
    for _ in 0..3 {
        bytes.push(sidecar.converse(request.clone()).await.unwrap().response.encode_to_vec());
    }
    let elsewhere = scripted("").converse(request).await.unwrap().response.encode_to_vec();
    assert!(bytes.iter().all(|other| *other == elsewhere));
}

#[tokio::test]
async fn keeps_200_concurrent_conversations_apart() {
    let sidecar = scripted("");
    let client = sidecar.client().await;
    let conversations = (0..200).map(|number| {
        let mut client = client.clone();
        let Conversation { name, mut request } = Conversation::new(&format!("c{number}"));
        async move {
            for turn in 0..TURNS {
                let answer = client.converse_alpha2(request.clone()).await.unwrap().into_inner();
                let answer = crate::support::messages::Answer::from(answer);
                assert_eq!(answer.content, format!("{name} {turn}"));
                request.inputs[0].messages.push(assistant_with_calls(&answer.content, []));
                request.inputs[0].messages.push(user("go on"));
            }
        }
    });
    future::join_all(conversations).await;
}

#[tokio::test]
async fn two_servers_can_alternate() {
    let servers = [scripted(""), scripted("")];
    let (mut single, mut alternating) = (Conversation::new("c"), Conversation::new("c"));
    for turn in 0..TURNS {
        let id = single.turn(&servers[0], turn).await;
        assert_eq!(alternating.turn(&servers[turn % 2], turn).await, id);
    }
}

#[tokio::test]
async fn continues_after_a_restart() {
    let mut conversation = Conversation::new("c");
    for turn in 0..TURNS {
        // Dropping the previous sidecar kills it.
        let sidecar = scripted("");
        conversation.turn(&sidecar, turn).await;
    }
}
