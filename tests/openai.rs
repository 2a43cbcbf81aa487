//! Tests of OpenAI's API: requests, whole and streamed answers, and errors.

mod access;
mod attachments;
mod continued_responses;
mod embeddings;
mod errors;
mod models;
mod reasoning;
mod requests;
mod response_streams;
mod responses;
mod streams;
mod usage;

use serde_json::{Value, json};

use crate::support::{Sidecar, http::Reply};

const COMPLETIONS: &str = "/v1/chat/completions";

/// Starts mynah with components of these names, which run instruction chains.
fn scripted(names: &[&str]) -> Sidecar {
    let component = |name: &&str| {
        format!(
            "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
             spec: {{type: conversation.scripted, version: v1, metadata: []}}\n"
        )
    };
    let documents: Vec<_> = names.iter().map(component).collect();
    Sidecar::with_components(&documents.join("---\n"))
}

/// Returns a user message with a chain of these steps.
fn chain(steps: &Value) -> Value {
    user(&format!(
        "<|instruction_start|>{}<|instruction_end|>",
        json!({"instruction_chain": steps})
    ))
}

async fn complete(sidecar: &Sidecar, body: &Value) -> Reply {
    sidecar.post(COMPLETIONS, body.to_string()).await
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn asking(text: &str) -> Value {
    json!({"model": "echo", "messages": [user(text)]})
}

fn with(mut body: Value, key: &str, value: Value) -> Value {
    body[key] = value;
    body
}

fn tool(name: &str) -> Value {
    let city =
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    json!({"type": "function", "function": {"name": name, "description": "d", "parameters": city}})
}

fn weather() -> Value {
    with(asking("What is the weather in Oslo?"), "tools", json!([tool("get_weather")]))
}

/// Returns the message of the first choice.
fn message(reply: &Reply) -> Value {
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()["choices"][0]["message"].clone()
}

/// Returns the names of the called tools.
fn called(reply: &Reply) -> Vec<String> {
    let message = message(reply);
    let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
    calls.iter().map(|call| call["function"]["name"].as_str().unwrap().to_owned()).collect()
}
