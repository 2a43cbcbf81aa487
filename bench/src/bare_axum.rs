//! A minimal axum server with mynah's threads and allocator. It decodes JSON and answers with the last
//! text in it.

use std::net::{Ipv4Addr, SocketAddr};

use axum::{Json, Router, routing::post, serve::Listener};
use mimalloc::MiMalloc;
use mynah_bench::{
    cases::{JSON_PATH, OPENAI_PATH},
    serve::{Connections, serve},
};
use serde::{Deserialize, Serialize};
use tokio::net::TcpStream;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> anyhow::Result<()> {
    serve(work)
}

async fn work(connections: Connections) -> anyhow::Result<()> {
    let router = Router::new().route(JSON_PATH, post(converse)).route(OPENAI_PATH, post(complete));
    Ok(axum::serve(Accepted(connections), router).await?)
}

async fn converse(Json(mut request): Json<Request>) -> Json<Response> {
    let message = request.inputs.pop().and_then(|mut input| input.messages.pop());
    let part = message.and_then(|mut message| message.of_user.content.pop());
    let message = ResultMessage { content: part.map(|part| part.text).unwrap_or_default() };
    let choice = Choice { finish_reason: "stop", message };
    let usage = Usage { completion_tokens: "3", prompt_tokens: "3", total_tokens: "6" };
    Json(Response { outputs: vec![Output { choices: vec![choice], model: "echo", usage }] })
}

async fn complete(Json(mut request): Json<CompletionRequest>) -> Json<Completion> {
    let content = request.messages.pop().map(|message| message.content).unwrap_or_default();
    let message = AssistantMessage { role: "assistant", content, refusal: None };
    let choice = CompletionChoice { index: 0, message, logprobs: None, finish_reason: "stop" };
    let usage = CompletionUsage { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 };
    Json(Completion {
        id: "chatcmpl-0123456789abcdef",
        object: "chat.completion",
        created: 0,
        model: request.model,
        choices: vec![choice],
        usage,
    })
}

/// Makes axum serve connections that have already been accepted.
struct Accepted(Connections);

impl Listener for Accepted {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            if let Some(Ok(stream)) = self.0.next().await {
                return (stream, (Ipv4Addr::LOCALHOST, 0).into());
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        Ok((Ipv4Addr::LOCALHOST, 0).into())
    }
}

#[derive(Deserialize)]
struct Request {
    inputs: Vec<Input>,
}

#[derive(Deserialize)]
struct Input {
    messages: Vec<Message>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    of_user: UserMessage,
}

#[derive(Deserialize)]
struct UserMessage {
    content: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    text: String,
}

#[derive(Serialize)]
struct Response {
    outputs: Vec<Output>,
}

#[derive(Serialize)]
struct Output {
    choices: Vec<Choice>,
    model: &'static str,
    usage: Usage,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Choice {
    finish_reason: &'static str,
    message: ResultMessage,
}

#[derive(Serialize)]
struct ResultMessage {
    content: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    completion_tokens: &'static str,
    prompt_tokens: &'static str,
    total_tokens: &'static str,
}

#[derive(Deserialize)]
struct CompletionRequest {
    model: String,
    messages: Vec<ChatMessage>,
}

#[derive(Deserialize)]
struct ChatMessage {
    #[expect(dead_code, reason = "decoded, but never read")]
    role: String,
    content: String,
}

#[derive(Serialize)]
struct Completion {
    id: &'static str,
    object: &'static str,
    created: u64,
    model: String,
    choices: Vec<CompletionChoice>,
    usage: CompletionUsage,
}

#[derive(Serialize)]
struct CompletionChoice {
    index: u64,
    message: AssistantMessage,
    logprobs: Option<()>,
    finish_reason: &'static str,
}

#[derive(Serialize)]
struct AssistantMessage {
    role: &'static str,
    content: String,
    refusal: Option<()>,
}

#[derive(Serialize)]
struct CompletionUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
}
