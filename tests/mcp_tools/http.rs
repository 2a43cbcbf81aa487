//! Tests of servers that are called over HTTP.

use http::{
    Request, Response, StatusCode,
    header::{CONTENT_TYPE, LOCATION},
};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use insta::assert_snapshot;
use mynah::tool_loop::ToolRegistry;
use serde_json::{Value, json};

use super::{call, load, names};
use crate::{
    forward::stub::{Body, Stub, full},
    support::{ports::ReservedPort, process::with_timeout},
};

const TOOLS: [&str; 8] =
    ["key", "events", "html", "error", "busy", "long", "flood", "flooding.events"];

/// Length of a result that is read on a blocking thread.
const LONG: usize = 100_000;

fn json_response(status: StatusCode, body: &Value) -> Response<Body> {
    typed(status, "application/json", body.to_string())
}

fn typed(status: StatusCode, kind: &'static str, body: String) -> Response<Body> {
    let mut response = Response::new(full(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, kind.parse().unwrap());
    response
}

fn redirect(target: &str) -> Response<Body> {
    let mut response = typed(StatusCode::TEMPORARY_REDIRECT, "text/plain", String::new());
    response.headers_mut().insert(LOCATION, target.parse().unwrap());
    response
}

/// Answers a request without sessions.
async fn answer(request: Request<Incoming>) -> Response<Body> {
    if request.uri().path() == "/page" {
        return typed(StatusCode::OK, "text/html", "<p>hello</p>".to_owned());
    }
    if request.uri().path() == "/moved" {
        return redirect("/mcp");
    }
    let key = request.headers().get("x-key").map_or("-", |key| key.to_str().unwrap()).to_owned();
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let ok = |result: Value| json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    let text = |text: String| ok(json!({"content": [{"type": "text", "text": text}]}));
    let event = |message: Value| {
        let body = format!(": comment\n\nevent: message\ndata: {message}\n\n");
        typed(StatusCode::OK, "text/event-stream; charset=utf-8", body)
    };
    let name = message["params"]["name"].as_str().unwrap_or_default();
    match message["method"].as_str().unwrap_or_default() {
        "initialize" => json_response(
            StatusCode::OK,
            &ok(json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "stub", "version": "1"},
            })),
        ),
        "tools/list" => {
            let tools = TOOLS.map(|name| json!({"name": name, "inputSchema": {"type": "object"}}));
            json_response(StatusCode::OK, &ok(json!({"tools": tools})))
        }
        "tools/call" => match name {
            "events" => event(text("from a stream".to_owned())),
            "html" => typed(StatusCode::OK, "text/html", "<p>hello</p>".to_owned()),
            "error" => {
                let error = json!({"code": -32602, "message": "wrong arguments"});
                let error = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
                json_response(StatusCode::BAD_REQUEST, &error)
            }
            "busy" => {
                typed(StatusCode::SERVICE_UNAVAILABLE, "text/plain", "try later\n".to_owned())
            }
            "long" => json_response(StatusCode::OK, &text("x".repeat(LONG))),
            "flood" => json_response(StatusCode::OK, &text("x".repeat(17 << 20))),
            "flooding.events" => event(text("x".repeat(17 << 20))),
            _ => json_response(StatusCode::OK, &text(format!("the key is {key}"))),
        },
        _ => typed(StatusCode::ACCEPTED, "text/plain", String::new()),
    }
}

async fn load_url(keys: &str, top: &str) -> Result<ToolRegistry, String> {
    load(&format!("- mcp: {{{keys}}}\n{top}")).await
}

#[tokio::test]
async fn results_arrive_as_json_or_as_events() {
    let server = Stub::start(answer).await;
    let keys = format!(
        "url: 'http://{}/moved?token=secret', headers: [{{name: x-key, value: secret}}]",
        server.address
    );
    let tools = load_url(&keys, "").await.unwrap();
    assert!(!format!("{tools:?}").contains("secret"));
    let mut answers = Vec::new();
    for name in names(&tools) {
        let answer = call(&tools, name).await.replace(&"x".repeat(LONG), "long");
        answers.push(format!("{name}: {answer}"));
    }
    assert_snapshot!(answers.join("\n"), @"
    key: the key is secret
    events: from a stream
    html: Error executing html: the response is neither JSON nor a stream of events
    error: Error executing error: wrong arguments
    busy: Error executing busy: HTTP 503: try later
    long: long
    flood: Error executing flood: the response is longer than 16 MiB
    flooding_events: Error executing flooding_events: the response is longer than 16 MiB
    ");
    let calls = (0..1_000).map(|_| call(&tools, "key"));
    let answers = with_timeout(futures_util::future::join_all(calls)).await;
    assert!(answers.iter().all(|answer| answer == "the key is secret"));
}

#[tokio::test]
async fn servers_that_cannot_be_reached_are_rejected() {
    let server = Stub::start(answer).await;
    let (address, port) = (server.address, server.address.port());
    let away = Stub::start(move |_: Request<Incoming>| async move {
        redirect(&format!("http://{address}/mcp"))
    })
    .await;
    let reserved = ReservedPort::new();
    let closed = format!("127.0.0.1:{}", reserved.number);
    let mut errors = Vec::new();
    for (keys, top) in [
        (format!("url: 'http://{address}/page'"), ""),
        (format!("url: 'http://{closed}/mcp'"), ""),
        (format!("url: 'http://{}/mcp'", away.address), ""),
        (format!("url: 'http://localhost:{port}/mcp?token=secret'"), "allow: ['10.0.0.0/8:80']"),
        ("url: localhost".to_owned(), ""),
        ("url: 'http://{{ args.host }}/'".to_owned(), ""),
        (format!("url: 'http://{address}/', headers: [{{name: a}}]"), ""),
        (format!("url: 'http://{address}/', command: [a]"), ""),
        ("command: [a], headers: []".to_owned(), ""),
    ] {
        errors.push(load_url(&keys, top).await.unwrap_err());
    }
    let errors = errors.join("\n").replace(&address.to_string(), "[server]");
    let errors = errors.replace(&format!("localhost:{port}"), "localhost:[port]");
    let errors = errors.replace(&closed, "[closed]");
    let errors = errors.replace(&away.address.to_string(), "[away]");
    assert_snapshot!(errors, @r#"
    the MCP server `http://[server]/page`: the response is neither JSON nor a stream of events
    the MCP server `http://[closed]/mcp`: cannot connect to [closed]: Connection refused (os error 111)
    the MCP server `http://[away]/mcp`: [server] is not allowed: its address 127.0.0.1 is not listed; the file allows [away]
    the MCP server `http://localhost:[port]/mcp`: localhost:[port] is not allowed: its address 127.0.0.1 is not listed; the file allows 10.0.0.0/8:80
    the MCP server: "localhost" is not an http or https URL; expected a URL such as http://localhost:8080/weather
    the MCP server: the host of "http://{{ args.host }}/" must not contain an expression
    the MCP server: the header "a": needs exactly one of value, envRef and secretKeyRef
    mcp needs exactly one of command and url
    headers need a url
    "#);
}
