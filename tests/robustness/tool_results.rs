//! Tools of components whose results are as large as possible.

use bytes::Bytes;
use futures_util::future::join_all;
use http::{Request, Response, header::CONTENT_TYPE};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::{Value, json};
use tonic::Code;

use super::memory::Scale;
use crate::{
    chains::{chain, text},
    forward::stub::{Stub, full},
    own_tools::{Owner, calls},
    support::{Sidecar, messages::request},
};

/// The size of each result at the scale of the tests, and at full scale.
const SIZES: [usize; 2] = [4 << 20, 15 << 20];
/// How often each tool is called at the same time. Each has a connection, with buffers of its own.
const CALLS: [usize; 2] = [24, 200];

/// Calls each of these tools, all at the same time, and asserts that memory stays within the budget.
async fn attack(tools: &str, kind: &str, names: &[&str]) {
    let scale = Scale::read();
    let owner = Owner::new("scripted", "", tools);
    let flags = ["--max-memory", &scale.budget.to_string(), "--resources-path", &owner.resources()];
    for name in names {
        let sidecar = Sidecar::start_with(&flags);
        let prompt = request([chain(json!([calls(&[(name, json!({}))]), text("done")]))]);
        let attack = async {
            let answers =
                (0..CALLS[usize::from(scale.is_full)]).map(|_| sidecar.converse(prompt.clone()));
            let answers = join_all(answers).await;
            let is_known = |code| code == Code::ResourceExhausted;
            for answer in &answers {
                assert!(
                    answer
                        .as_ref()
                        .map_or_else(|it| is_known(it.code()), |it| it.content == "done"),
                    "{answer:?}"
                );
            }
            assert!(answers.iter().any(Result::is_ok), "all calls were refused");
        };
        scale.run(&sidecar, &format!("results of the {kind} tool {name}"), attack).await;
    }
}

/// Returns text, or a list of numbers, of this size.
fn body(is_list: bool, size: usize) -> Bytes {
    if is_list { format!("[{}0]", "1,".repeat(size / 2)) } else { "x".repeat(size) }.into()
}

#[tokio::test]
async fn results_of_http_tools() {
    let size = SIZES[usize::from(Scale::read().is_full)];
    let [list, text] = [true, false].map(|is_list| body(is_list, size));
    let server = Stub::start(move |request: Request<Incoming>| {
        let body = if request.uri().path() == "/text" { text.clone() } else { list.clone() };
        async move { Response::new(full(body)) }
    })
    .await;
    let url = format!("http://{}", server.address);
    let tools = format!(
        "defaults: {{max_result: 16Mi}}\ntools:\n\
         - {{name: text, http: {{url: {url}/text}}}}\n\
         - {{name: item, http: {{url: {url}/list, result: /0}}}}\n\
         - {{name: list, http: {{url: {url}/list, result: ''}}}}\n"
    );
    attack(&tools, "HTTP", &["text", "item", "list"]).await;
}

/// Answers the requests of MCP. Each tool call has the same result.
async fn answer(request: Request<Incoming>, result: &str) -> Response<crate::forward::stub::Body> {
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "stub", "version": "1"},
        })
        .to_string(),
        "tools/list" => {
            json!({"tools": [{"name": "text", "inputSchema": {"type": "object"}}]}).to_string()
        }
        "tools/call" => result.to_owned(),
        _ => {
            let mut response = Response::new(full(""));
            *response.status_mut() = http::StatusCode::ACCEPTED;
            return response;
        }
    };
    let body = format!(r#"{{"jsonrpc": "2.0", "id": {}, "result": {result}}}"#, message["id"]);
    let mut response = Response::new(full(body));
    response.headers_mut().insert(CONTENT_TYPE, "application/json".parse().unwrap());
    response
}

/// The server must answer while the test waits for the sidecar to start.
#[tokio::test(flavor = "multi_thread")]
async fn results_of_mcp_tools() {
    let size = SIZES[usize::from(Scale::read().is_full)];
    let text = "x".repeat(size);
    let result = json!({"content": [{"type": "text", "text": text}]}).to_string();
    let server = Stub::start(move |request: Request<Incoming>| {
        let result = result.clone();
        async move { answer(request, &result).await }
    })
    .await;
    let url = format!("http://{}/mcp", server.address);
    let tools = format!("defaults: {{max_result: 16Mi}}\ntools:\n- mcp: {{url: {url}}}\n");
    attack(&tools, "MCP", &["text"]).await;
}
