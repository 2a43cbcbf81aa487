//! Benchmarks of answering a request without sockets, and of each step.

#![allow(missing_docs, reason = "criterion's macros generate undocumented items")]
#![allow(clippy::expect_used, reason = "a panic fails the benchmark")]

use std::{collections::BTreeSet, hint::black_box, sync::Arc};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use futures_util::FutureExt;
use mynah::{
    chat::{Message, Request, Response, Role, Tool},
    internals::wire::{decode, encode, json, proto::ConversationRequestAlpha2},
    provider::{
        CallContext, Provider,
        echo::{Echo, EchoSettings},
        scripted::{Chain, Scripted, ScriptedSettings},
    },
};
use prost::Message as _;
use serde_json::{Value, json};

criterion_group!(engine, echo, matching, arguments, chains, wire, proto_json);
criterion_main!(engine);

/// Echoes a short message.
fn echo(criterion: &mut Criterion) {
    let request = ask("Hello, mynah!", Vec::new());
    criterion.bench_function("echo", |bencher| bencher.iter(|| answer(&request)));
}

/// Finds one mentioned tool among 1 to 1,000.
fn matching(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("matching");
    for count in [1, 10, 100, 1_000] {
        let mut tools: Vec<_> = (1..count).map(|at| tool(&format!("inspect_part{at}"))).collect();
        tools.push(tool("get_weather"));
        let request = ask("What is the weather in Paris?", tools);
        group.throughput(Throughput::Elements(count));
        group.bench_with_input(BenchmarkId::from_parameter(count), &request, |bencher, request| {
            bencher.iter(|| answer(request));
        });
    }
}

/// Generates arguments of various types.
fn arguments(criterion: &mut Criterion) {
    let schema = mynah::chat::LazyJson::new(schema());
    let tool = Tool { parameters: Some(schema), ..tool("get_weather") };
    let request = ask("What is the weather in Paris?", vec![tool]);
    criterion.bench_function("arguments", |bencher| bencher.iter(|| answer(&request)));
}

/// Finds a chain at the start of a history of one megabyte, and parses chains.
fn chains(criterion: &mut Criterion) {
    let step = json!({ "messages": [{ "text": "It is sunny and 18 degrees in Paris." }] });
    let block = |steps: usize| {
        let chain = json!({ "instruction_chain": vec![&step; steps] });
        format!("<|instruction_start|>{chain}<|instruction_end|>")
    };
    let text = "word ".repeat(200);
    let turn = || {
        [
            Message::new(Role::Assistant { tool_calls: Vec::new() }, text.clone()),
            Message::new(Role::User, text.clone()),
        ]
    };
    let mut messages = vec![Message::new(Role::User, block(501))];
    messages.extend((0..500).flat_map(|_| turn()));
    let request = Request { messages, ..Request::default() };
    let scripted = Arc::new(Scripted::new("scripted", ScriptedSettings::default(), None));
    let request = Arc::new(request);
    criterion.bench_function("chains/1 MB of history", |bencher| {
        bencher.iter(|| {
            scripted
                .clone()
                .converse(black_box(request.clone()), CallContext::default())
                .now_or_never()
        });
    });
    let short = ask(&block(1), Vec::new());
    criterion.bench_function("chains/one step", |bencher| {
        bencher.iter(|| {
            scripted
                .clone()
                .converse(black_box(short.clone()), CallContext::default())
                .now_or_never()
        });
    });
    let hundred = block(100);
    criterion.bench_function("chains/read 100 steps", |bencher| {
        bencher.iter(|| Chain::in_text(black_box(&hundred)));
    });
}

/// Decodes a Dapr request and encodes a Dapr response.
fn wire(criterion: &mut Criterion) {
    let message = message();
    let bytes = message.encode_to_vec();
    let request = Arc::new(decode::alpha2(message, &BTreeSet::new()).expect("a request"));
    let response = answer(&request);
    criterion.bench_function("decode", |bencher| {
        bencher.iter(|| {
            let message = ConversationRequestAlpha2::decode(black_box(&bytes[..]));
            decode::alpha2(message.expect("a message"), &BTreeSet::new())
        });
    });
    criterion.bench_function("encode", |bencher| {
        bencher.iter(|| {
            let passthrough = encode::Passthrough::alpha2(&request);
            encode::alpha2(response.clone(), passthrough).encode_to_vec()
        });
    });
}

/// Reads the same request from JSON, and writes the response as JSON.
fn proto_json(criterion: &mut Criterion) {
    let text = request_json().to_string();
    criterion.bench_function("proto JSON/read", |bencher| {
        bencher
            .iter(|| json::read_request::<ConversationRequestAlpha2>(black_box(text.as_bytes())));
    });
    let request = Arc::new(decode::alpha2(message(), &BTreeSet::new()).expect("a request"));
    let response = encode::alpha2(answer(&request), encode::Passthrough::alpha2(&request));
    criterion.bench_function("proto JSON/print", |bencher| {
        bencher.iter(|| json::write_response(black_box(&response)));
    });
}

fn answer(request: &Arc<Request>) -> Response {
    let echo = Arc::new(Echo::new("echo", EchoSettings::default()));
    let answer = echo.converse(black_box(request.clone()), CallContext::default()).now_or_never();
    answer.expect("echo answers without waiting").expect("echo always answers")
}

fn ask(text: &str, tools: Vec<Tool>) -> Arc<Request> {
    Arc::new(Request {
        messages: vec![Message::new(Role::User, text)],
        tools,
        ..Request::default()
    })
}

fn tool(name: &str) -> Tool {
    Tool { name: name.to_owned(), description: None, parameters: None }
}

fn message() -> ConversationRequestAlpha2 {
    json::read(request_json().to_string().as_bytes()).expect("a message")
}

fn request_json() -> Value {
    json!({
        "name": "echo",
        "inputs": [{ "messages": [
            { "ofSystem": { "content": [{ "text": "Be brief." }] } },
            { "ofUser": { "content": [{ "text": "What is the weather in Paris?" }] } },
        ] }],
        "tools": [{ "function": { "name": "get_weather", "parameters": schema() } }],
    })
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["location"],
        "properties": {
            "location": { "type": "string" },
            "days": { "type": "integer", "minimum": 1, "maximum": 14 },
            "hourly": { "type": "boolean" },
            "units": { "type": "array", "items": { "type": "string", "enum": ["mm", "inch"] } },
        },
    })
}
