//! What is recorded is repeated, byte for byte.

use std::path::Path;

use futures_util::{StreamExt, future::join_all, stream};
use mynah::internals::wire::proto::ConversationRequestAlpha2;
use proptest::{
    collection::vec, option, prelude::*, sample::select, strategy::ValueTree,
    test_runner::TestRunner,
};
use prost::Message as _;
use serde_json::{Value, json};

use super::{component_of, model, recorder_with, replay, stop};
use crate::support::{
    Sidecar,
    messages::{
        assistant_with_calls, encoded_schema, request, system, tool, tool_call, tool_result, user,
    },
    scratch,
};

/// Number of generated exchanges.
const EXCHANGES: usize = 60;

/// How a request is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Grpc,
    GrpcStream,
    Http,
    HttpStream,
    OpenAi,
    OpenAiStream,
}

pub(super) const WAYS: [Way; 6] =
    [Way::Grpc, Way::GrpcStream, Way::Http, Way::HttpStream, Way::OpenAi, Way::OpenAiStream];

/// An exchange: what is asked, and the step with which the model answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    pub(super) prompt: String,
    pub(super) with_result: bool,
    pub(super) has_tools: bool,
    pub(super) temperature: Option<f64>,
    /// The name and the schema of the answer.
    pub(super) format: Option<Value>,
    /// Whether the ways have ids and a spelling of their own.
    pub(super) is_spelled_differently: bool,
    pub(super) step: Value,
}

pub(super) fn text() -> impl Strategy<Value = String> {
    let special =
        select(vec!["yes", "a: b # c", "a\n\n b\n", "---\n", "\t", "\"", "\\", "é😀", "  a"]);
    vec(prop_oneof![special.prop_map(str::to_owned), "[a-zà-ö ]{1,9} "], 0..6)
        .prop_map(|parts| parts.concat())
}

fn step() -> impl Strategy<Value = Value> {
    let call = (select(vec!["get_weather", "add"]), text(), 0..99_i32).prop_map(
        |(name, text, number)| json!({ "name": name, "args": { "text": text, "n": number } }),
    );
    let answer =
        (text(), vec(call, 0..3), option::of(select(vec!["length", "content_filter"])), 1..4_u8);
    let error =
        select(vec!["INVALID_ARGUMENT", "UNAVAILABLE", "RESOURCE_EXHAUSTED", "UNAUTHENTICATED"]);
    prop_oneof![
        9 => answer.prop_map(|(text, calls, reason, words)| {
            let calls = (!calls.is_empty()).then(|| json!({ "tool_call": calls }));
            let items: Vec<_> = [json!({ "text": text })].into_iter().chain(calls).collect();
            json!({ "messages": items, "finish_reason": reason, "words_per_chunk": words })
        }),
        1 => error.prop_map(|code| json!({ "error": { "code": code, "message": "no luck" } })),
    ]
}

/// Generates exchanges, always the same ones.
fn generated() -> Vec<Asked> {
    let one = (text(), any::<bool>(), any::<bool>(), option::of(select(vec![0.5, 1.0])), step());
    let one = one.prop_map(|(prompt, with_result, has_tools, temperature, step)| Asked {
        prompt,
        with_result,
        has_tools,
        temperature,
        format: None,
        is_spelled_differently: true,
        step,
    });
    let mut runner = TestRunner::deterministic();
    let mut all = vec(one, EXCHANGES).new_tree(&mut runner).unwrap().current();
    for (number, asked) in all.iter_mut().enumerate() {
        asked.prompt = format!("{number}: {}", asked.prompt);
    }
    all
}

fn rules(all: &[Asked]) -> String {
    let rule = |asked: &Asked| json!({ "match": { "user": { "equals": asked.prompt } }, "chain": [asked.step], "on_exhausted": "repeat_last" });
    let mut rules: Vec<_> = all.iter().map(rule).collect();
    let next = |text| json!({ "respond": text });
    rules.push(json!({ "match": { "user": "next" }, "sequence": [next("one"), next("two"), next("two"), next("three")] }));
    let long = "grün ".repeat(210_000);
    rules.push(json!({ "match": { "user": "long" }, "respond": long }));
    rules.push(
        json!({ "match": { "user": "braces" }, "respond": "{{ '{{ user }}' }} {{ '{% if %}' }}" }),
    );
    json!({ "rules": rules }).to_string()
}

impl Asked {
    fn dapr(&self) -> ConversationRequestAlpha2 {
        let mut messages = vec![system("Be brief."), user(&self.prompt)];
        if self.with_result {
            messages.push(assistant_with_calls("", [tool_call("c1", "add", r#"{"a": 1}"#)]));
            messages.push(tool_result("c1", "add", "3"));
        }
        let tools = if self.has_tools {
            vec![tool("get_weather", json!({ "type": "object", "maxProperties": 3 }))]
        } else {
            Vec::new()
        };
        ConversationRequestAlpha2 {
            name: "gpt".to_owned(),
            tools,
            temperature: self.temperature,
            response_format: self.format.as_ref().map(encoded_schema),
            ..request(messages)
        }
    }

    fn http(&self) -> String {
        let content = |text: &str| json!([{ "text": text }]);
        let mut messages = vec![
            json!({ "ofSystem": { "content": content("Be brief.") } }),
            json!({ "ofUser": { "content": content(&self.prompt) } }),
        ];
        if self.with_result {
            let (id, arguments) = self.spelled("c5", "{ \"a\": 1 }");
            let function = json!({ "name": "add", "arguments": arguments });
            let calls = json!([{ "id": id, "function": function }]);
            messages.push(json!({ "ofAssistant": { "toolCalls": calls } }));
            let result = json!({ "toolId": id, "name": "add", "content": content("3") });
            messages.push(json!({ "ofTool": result }));
        }
        let mut body = json!({ "inputs": [{ "messages": messages }] });
        if self.has_tools {
            let schema = json!({ "type": "object", "maxProperties": 3 });
            body["tools"] =
                json!([{ "function": { "name": "get_weather", "parameters": schema } }]);
        }
        if let Some(temperature) = self.temperature {
            body["temperature"] = temperature.into();
        }
        if let Some(format) = &self.format {
            body["responseFormat"] = format.clone();
        }
        body.to_string()
    }

    /// Returns the id and the arguments of the call in the history.
    fn spelled(&self, id: &'static str, arguments: &'static str) -> (&'static str, &'static str) {
        if self.is_spelled_differently { (id, arguments) } else { ("c1", r#"{"a": 1}"#) }
    }

    fn openai(&self, stream: bool) -> String {
        let mut messages = vec![
            json!({ "role": "system", "content": "Be brief." }),
            json!({ "role": "user", "content": self.prompt }),
        ];
        if self.with_result {
            let (id, arguments) = self.spelled("c9", "{\"a\":1}");
            let function = json!({ "name": "add", "arguments": arguments });
            let call = json!({ "id": id, "type": "function", "function": function });
            messages.push(json!({ "role": "assistant", "content": "", "tool_calls": [call] }));
            messages.push(json!({ "role": "tool", "tool_call_id": id, "content": "3" }));
        }
        let mut body = json!({ "model": "gpt", "messages": messages, "stream": stream });
        if self.has_tools {
            let schema = json!({ "type": "object", "maxProperties": 3 });
            let function = json!({ "name": "get_weather", "parameters": schema });
            body["tools"] = json!([{ "type": "function", "function": function }]);
        }
        if let Some(temperature) = self.temperature {
            body["temperature"] = temperature.into();
        }
        if let Some(format) = &self.format {
            let mut schema = format.clone();
            let name = schema.as_object_mut().unwrap().remove("name");
            let format = json!({ "name": name, "schema": schema });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": format });
        }
        body.to_string()
    }

    /// Asks, and returns the answer or the error as it arrives.
    pub(super) async fn ask(&self, sidecar: &Sidecar, way: Way) -> Vec<u8> {
        let converse = "/v1.0-alpha2/conversation/gpt/converse";
        let reply = |reply: crate::support::http::Reply| {
            format!("{} {}", reply.status, reply.body).into_bytes()
        };
        match way {
            Way::Grpc => {
                let mut client = sidecar.client().await;
                match client.converse_alpha2(self.dapr()).await {
                    Ok(answer) => answer.into_inner().encode_to_vec(),
                    Err(status) => format!("{:?}: {}", status.code(), status.message()).into(),
                }
            }
            Way::GrpcStream => match streamed(sidecar, self.dapr()).await {
                Ok(answer) => answer,
                Err(status) => format!("{:?}: {}", status.code(), status.message()).into(),
            },
            Way::Http => reply(sidecar.post(converse, self.http()).await),
            Way::HttpStream => reply(sidecar.post_for_events(converse, self.http()).await),
            Way::OpenAi => reply(sidecar.post("/v1/chat/completions", self.openai(false)).await),
            Way::OpenAiStream => {
                reply(sidecar.post("/v1/chat/completions", self.openai(true)).await)
            }
        }
    }
}

/// Returns all messages of a stream.
async fn streamed(
    sidecar: &Sidecar,
    call: ConversationRequestAlpha2,
) -> Result<Vec<u8>, tonic::Status> {
    let mut stream = sidecar.client().await.converse_stream_alpha2(call).await?.into_inner();
    let mut bytes = Vec::new();
    while let Some(message) = stream.message().await? {
        bytes.extend(message.encode_length_delimited_to_vec());
    }
    Ok(bytes)
}

async fn record(recordings: &Path, all: &[Asked]) -> (std::path::PathBuf, Vec<Vec<u8>>) {
    let model = model(&rules(all));
    let components = component_of(&model);
    let sidecar = recorder_with(&components, recordings, &["--record-errors"]);
    let mut answers = Vec::new();
    for (number, asked) in all.iter().enumerate() {
        answers.push(asked.ask(&sidecar, WAYS[number % WAYS.len()]).await);
    }
    stop(sidecar).await;
    (components, answers)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_gives_the_recorded_bytes() {
    let (all, recordings) = (generated(), scratch("recordings"));
    let (components, answers) = record(&recordings, &all).await;
    let sidecar = replay(&components, &recordings);
    // From 64 clients at once, in another order.
    let asked = all.iter().enumerate().rev().map(|(number, asked)| {
        let sidecar = &sidecar;
        async move { (number, asked.ask(sidecar, WAYS[number % WAYS.len()]).await) }
    });
    let replayed: Vec<_> = stream::iter(asked).buffer_unordered(64).collect().await;
    for (number, answer) in replayed {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (seen, expected) = (shown(&answer), shown(&answers[number]));
        assert_eq!(seen, expected, "{:?} {:?}", WAYS[number % WAYS.len()], all[number]);
    }
    // Every other way to ask finds the exchange, too.
    let calls = all.iter().flat_map(|asked| WAYS.map(|way| asked.ask(&sidecar, way)));
    for answer in join_all(calls).await {
        assert!(!String::from_utf8_lossy(&answer).contains("is not recorded"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recording_again_changes_nothing() {
    let (all, recordings) = (generated(), scratch("recordings"));
    record(&recordings, &all).await;
    let text = super::recorded(&recordings);
    record(&recordings, &all).await;
    assert!(text == super::recorded(&recordings), "the file has changed");
}

#[tokio::test]
async fn sequences_long_texts_and_braces_are_repeated() {
    let recordings = scratch("recordings");
    let prompts = ["next", "next", "next", "next", "next", "long", "braces"];
    let asked = |prompt: &str| Asked { prompt: prompt.to_owned(), ..Asked::default() };
    let model = model(&rules(&[]));
    let components = component_of(&model);
    let sidecar = recorder_with(&components, &recordings, &[]);
    let mut answers = Vec::new();
    for prompt in prompts {
        answers.push(asked(prompt).ask(&sidecar, Way::OpenAi).await);
    }
    stop(sidecar).await;
    drop(model);
    let sidecar = replay(&components, &recordings);
    for (prompt, expected) in prompts.into_iter().zip(answers) {
        assert!(expected.starts_with(b"200 "));
        let answer = asked(prompt).ask(&sidecar, Way::OpenAi).await;
        assert!(answer == expected, "{prompt}: {}", String::from_utf8_lossy(&answer[..99]));
    }
}
