//! The history says everything, so nothing is remembered.

use futures_util::future;
use mynah::wire::proto::ConversationRequestAlpha2;
use prost::Message;
use serde_json::{Value, json};

use super::{chain, scripted};
use crate::support::{
    Sidecar,
    messages::{call, calls, request, result, tool, user},
};

const TURNS: usize = 5;

/// A conversation, with a chain in which every turn says its own words.
struct Conversation {
    name: String,
    asked: ConversationRequestAlpha2,
}

impl Conversation {
    fn new(name: &str) -> Self {
        let step = |turn: usize| {
            json!({"messages": [
                {"text": format!("{name} {turn}")}, {"tool_call": [{"name": "f", "args": {"turn": turn}}]},
            ]})
        };
        let steps: Vec<Value> = (0..TURNS).map(step).collect();
        let mut asked = request([chain(steps.into())]);
        asked.tools = vec![tool("f", Value::Null)];
        Self { name: name.to_owned(), asked }
    }

    /// Asks, checks the answer, and goes on with it.
    async fn turn(&mut self, sidecar: &Sidecar, turn: usize) -> String {
        let answer = sidecar.converse(self.asked.clone()).await.unwrap();
        assert_eq!(answer.content, format!("{} {turn}", self.name));
        assert_eq!(answer.calls[0].arguments, json!({"turn": turn}));
        let id = answer.calls[0].id.clone();
        self.asked.inputs[0].messages.extend([
            calls(&answer.content, [call(&id, "f", "{}")]),
            result(&id, "f", "done"),
            user("go on"),
        ]);
        id
    }
}

#[tokio::test]
async fn a_repeated_request_gives_the_same_bytes() {
    let sidecar = scripted("");
    let asked = Conversation::new("c").asked;
    let mut bytes = Vec::new();
    for _ in 0..3 {
        bytes.push(sidecar.converse(asked.clone()).await.unwrap().whole.encode_to_vec());
    }
    let elsewhere = scripted("").converse(asked).await.unwrap().whole.encode_to_vec();
    assert!(bytes.iter().all(|other| *other == elsewhere));
}

#[tokio::test]
async fn two_hundred_conversations_do_not_mix() {
    let sidecar = scripted("");
    let client = sidecar.client().await;
    let conversations = (0..200).map(|number| {
        let mut client = client.clone();
        let Conversation { name, mut asked } = Conversation::new(&format!("c{number}"));
        async move {
            for turn in 0..TURNS {
                let answer = client.converse_alpha2(asked.clone()).await.unwrap().into_inner();
                let answer = crate::support::messages::Answer::from(answer);
                assert_eq!(answer.content, format!("{name} {turn}"));
                asked.inputs[0].messages.push(calls(&answer.content, []));
                asked.inputs[0].messages.push(user("go on"));
            }
        }
    });
    future::join_all(conversations).await;
}

/// Also: two that take turns. Either has only ever seen every second turn.
#[tokio::test]
async fn any_server_answers_any_turn() {
    let servers = [scripted(""), scripted("")];
    let (mut alone, mut by_turns) = (Conversation::new("c"), Conversation::new("c"));
    for turn in 0..TURNS {
        let id = alone.turn(&servers[0], turn).await;
        assert_eq!(by_turns.turn(&servers[turn % 2], turn).await, id);
    }
}

#[tokio::test]
async fn a_server_that_is_killed_and_started_anew_goes_on() {
    let mut conversation = Conversation::new("c");
    for turn in 0..TURNS {
        // The one before is killed.
        let sidecar = scripted("");
        conversation.turn(&sidecar, turn).await;
    }
}
