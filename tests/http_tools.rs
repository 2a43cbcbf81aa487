//! Tests of tools that make HTTP requests.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    fs,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{Request, Response, StatusCode, header::LOCATION};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Frame, Incoming};
use mynah::{
    provider::scripted::{Scripted, ScriptedSettings, tags},
    tool_loop::{LoopSettings, ToolLoop, ToolRegistry},
    tools,
};
use serde_json::json;
use tokio::sync::mpsc;

use crate::{
    chains::text,
    forward::stub::{Body, Stub, full},
    own_tools::calls,
    support::{process::with_timeout, scratch},
};

/// Loads a file with a tool `f` that makes this request.
async fn tool(keys: &str, top: &str) -> Result<ToolRegistry, String> {
    let file = scratch("http-tools").join("tools.yaml");
    fs::write(&file, format!("{top}\ntools:\n- name: f\n  http: {{{keys}}}\n")).unwrap();
    tools::load(&file).await.map_err(|error| error.message)
}

async fn call(keys: &str, arguments: &str) -> String {
    call_allowed(keys, "", arguments).await
}

/// Calls the tool. Returns the result or the error.
async fn call_allowed(keys: &str, top: &str, arguments: &str) -> String {
    let tools = tool(keys, top).await.unwrap();
    let result = with_timeout(tools.run("f", arguments)).await;
    result.unwrap_or_else(|error| error.to_string())
}

/// Starts a server that answers with the request line, the header `x-key` and the body.
async fn describing() -> Stub {
    Stub::start(async |request: Request<Incoming>| {
        let (head, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let key = head.headers.get("x-key").map_or("-", |key| key.to_str().unwrap());
        let body = String::from_utf8_lossy(&body);
        Response::new(full(format!("{} {} {key} {body}", head.method, head.uri)))
    })
    .await
}

/// Starts a server that gives each path its own response.
async fn with_paths(
    respond: impl Fn(&str) -> Response<Body> + Send + Sync + Copy + 'static,
) -> Stub {
    Stub::start(move |request: Request<Incoming>| async move { respond(request.uri().path()) })
        .await
}

fn response(status: StatusCode, body: &str) -> Response<Body> {
    let mut response = Response::new(full(body.to_owned()));
    *response.status_mut() = status;
    response
}

fn redirect(status: StatusCode, location: &str) -> Response<Body> {
    let mut response = response(status, "");
    response.headers_mut().insert(LOCATION, location.parse().unwrap());
    response
}

#[tokio::test]
async fn arguments_cannot_change_the_request_around_them() {
    let server = describing().await;
    let url = |rest: &str| format!("url: \"http://{}{rest}\"", server.address);
    let query = url("/weather/{{ args.city }}?unit={{ args.unit }}");
    let cases = [
        (r#"{"city": "São Paulo", "unit": "°C"}"#, "GET /weather/S%C3%A3o%20Paulo?unit=%C2%B0C - "),
        (
            r#"{"city": "a/../b?x=1#y", "unit": "c&d=e"}"#,
            "GET /weather/a%2F..%2Fb%3Fx%3D1%23y?unit=c%26d%3De - ",
        ),
        (
            r#"{"city": "{{ args.unit }}", "unit": 7}"#,
            "GET /weather/%7B%7B%20args.unit%20%7D%7D?unit=7 - ",
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(call(&query, arguments).await, expected);
    }
    for city in [".", ".."] {
        let answer = call(&query, &format!(r#"{{"city": "{city}", "unit": ""}}"#)).await;
        assert!(answer.ends_with("must not contain . or .. as a segment"), "{answer}");
    }
    let body =
        url("/search") + r#", body: '{"text": "{{ args.text }}", "limit": {{ args.limit }}}'"#;
    let answer = call(&body, r#"{"text": "say \"hi\"\n", "limit": 3}"#).await;
    assert_eq!(answer, r#"POST /search - {"text": "say \"hi\"\n", "limit": 3}"#);
    let optional = url("/find{% if args.id %}?id={{ args.id }}{% endif %}") + ", method: DELETE";
    assert_eq!(call(&optional, "{}").await, "DELETE /find - ");
    assert_eq!(call(&optional, r#"{"id": 1}"#).await, "DELETE /find?id=1 - ");
    let answer = call(&query, r#"{"city": "Rome"}"#).await;
    assert!(answer.starts_with("Error executing f: "), "{answer}");
}

#[tokio::test]
async fn results_are_bodies_or_parts_of_them() {
    let server = with_paths(|path| match path {
        "/json" => response(StatusCode::OK, r#"{"current": {"degrees": 3}, "text": "mild"}"#),
        "/empty" => response(StatusCode::NO_CONTENT, ""),
        "/encoded" => {
            let mut response = response(StatusCode::OK, "x");
            response.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
            response
        }
        "/binary" => Response::new(full(&b"ab\xff"[..])),
        "/endless" => {
            let piece = Bytes::from(vec![b'a'; 64 << 10]);
            let pieces = stream::repeat(piece).map(|piece| Ok::<_, Infallible>(Frame::data(piece)));
            Response::new(StreamBody::new(pieces).boxed_unsync())
        }
        _ => response(StatusCode::NOT_FOUND, "no such city\n"),
    })
    .await;
    let mut answers = Vec::new();
    for keys in [
        "/json",
        "/json, result: /current",
        "/json, result: /current/degrees",
        "/json, result: /text",
        "/json, result: /other",
        "/empty",
        "/empty, result: /a",
        "/encoded",
        "/binary",
        "/endless",
        "/nowhere",
    ] {
        let answer = call(&format!("url: http://{}{keys}", server.address), "{}").await;
        answers.push(format!("{keys}: {answer}"));
    }
    insta::assert_snapshot!(answers.join("\n"), @r#"
    /json: {"current": {"degrees": 3}, "text": "mild"}
    /json, result: /current: {"degrees":3}
    /json, result: /current/degrees: 3
    /json, result: /text: mild
    /json, result: /other: Error executing f: the response has no /other
    /empty: 
    /empty, result: /a: Error executing f: the response is not JSON: EOF while parsing a value at line 1 column 0
    /encoded: Error executing f: the response has the encoding "gzip"
    /binary: Error executing f: the response is not valid UTF-8 at byte 2
    /endless: Error executing f: the response is longer than 16 MiB
    /nowhere: Error executing f: HTTP 404: no such city
    "#);
}

#[tokio::test]
async fn only_statuses_that_may_change_are_retried() {
    let received = Arc::new(Mutex::new(BTreeMap::<String, u32>::new()));
    let counts = received.clone();
    let server = Stub::start(move |request: Request<Incoming>| {
        let status = request.uri().path().trim_matches('/').to_owned();
        let code = StatusCode::from_bytes(status.as_bytes()).unwrap();
        *counts.lock().unwrap().entry(status).or_default() += 1;
        async move { response(code, "no") }
    })
    .await;
    for status in [200, 304, 400, 401, 404, 408, 409, 422, 429, 500, 503] {
        let keys = format!("url: http://{}/{status}", server.address);
        let tools = tool(&keys, "defaults: {retries: 2}").await.unwrap();
        let tool_loop = ToolLoop::new(tools, LoopSettings::default()).unwrap();
        let steps = json!({"instruction_chain": [calls(&[("f", json!({}))]), text("done")]});
        let prompt = format!("{}{steps}{}", tags::START, tags::END);
        let model = Scripted::new("scripted", ScriptedSettings::default(), None);
        let run = tool_loop.run(Arc::new(model), prompt);
        assert_eq!(with_timeout(run.into_future()).await.answer(), Ok("done"));
    }
    insta::assert_snapshot!(
        format!("{:?}", received.lock().unwrap()),
        @r#"{"200": 1, "304": 1, "400": 1, "401": 1, "404": 1, "408": 3, "409": 1, "422": 1, "429": 3, "500": 3, "503": 3}"#
    );
}

#[tokio::test]
async fn redirects_stay_on_allowed_addresses() {
    let other = describing().await;
    let forbidden = other.address;
    let server = Stub::start(move |request: Request<Incoming>| async move {
        match request.uri().path() {
            "/moved" => redirect(StatusCode::FOUND, "/there?a=1"),
            "/kept" => redirect(StatusCode::TEMPORARY_REDIRECT, "/there"),
            "/away" => redirect(StatusCode::FOUND, &format!("http://{forbidden}/away")),
            "/tls" => redirect(StatusCode::FOUND, &format!("https://{forbidden}/")),
            "/file" => redirect(StatusCode::FOUND, "file:///etc/passwd"),
            "/loop" => redirect(StatusCode::FOUND, "/loop"),
            path => response(StatusCode::OK, &format!("{} {path}", request.method())),
        }
    })
    .await;
    let url = |path: &str| format!("url: http://{}{path}", server.address);
    assert_eq!(call(&url("/moved"), "{}").await, "GET /there");
    assert_eq!(call(&(url("/moved") + ", body: a"), "{}").await, "GET /there");
    assert_eq!(call(&(url("/kept") + ", body: a"), "{}").await, "POST /there");
    let answer = call(&url("/away"), "{}").await;
    let expected = format!("{forbidden} is not allowed");
    assert!(answer.contains(&expected), "{answer}");
    let answer = call(&url("/file"), "{}").await;
    assert!(answer.contains("unsupported redirect") || answer.contains("not an http"), "{answer}");
    let answer = call(&url("/tls"), "{}").await;
    assert!(answer.ends_with("needs https; use https in the url of the tool"), "{answer}");
    assert!(call(&url("/loop"), "{}").await.ends_with("more than 5 redirects"));
    // Another host does not get the headers.
    let allow = format!("allow: ['{}', '{forbidden}']", server.address);
    let keys = url("/away") + ", headers: [{name: x-key, value: secret}]";
    assert_eq!(call_allowed(&keys, &allow, "{}").await, "GET /away - ");
}

#[tokio::test]
async fn only_allowed_addresses_are_dialled() {
    let server = describing().await;
    let port = server.address.port();
    let url = format!("url: 'http://localhost:{port}/'");
    for allow in [
        "".to_owned(),
        format!("allow: ['localhost:{port}']"),
        format!("allow: ['127.0.0.0/8:{port}']"),
    ] {
        assert_eq!(call_allowed(&url, &allow, "{}").await, "GET / - ");
    }
    for allow in [
        "allow: []".to_owned(),
        format!("allow: ['example.com:{port}', '10.0.0.0/8:{port}', 'localhost:1']"),
    ] {
        let answer = call_allowed(&url, &allow, "{}").await;
        assert!(answer.contains(&format!("localhost:{port} is not allowed")), "{answer}");
    }
}

#[tokio::test]
async fn headers_may_be_secret() {
    let server = describing().await;
    let keys = |header: &str| format!("url: http://{}/, headers: [{header}]", server.address);
    assert_eq!(call(&keys("{name: x-key, value: open}"), "{}").await, "GET / open ");
    let path = env!("CARGO_PKG_NAME");
    assert_eq!(
        call(&keys("{name: x-key, envRef: CARGO_PKG_NAME}"), "{}").await,
        format!("GET / {path} ")
    );
    let error = tool(&keys("{name: x-key, value: \"secret\\nx\"}"), "").await.err().unwrap();
    assert!(!error.contains("secret"), "{error}");
    let tools = tool(&keys("{name: x-key, value: secret}"), "").await;
    assert!(!format!("{tools:?}").contains("secret"));
}

/// Reports that the server has stopped to answer a call.
struct OnDrop(mpsc::Sender<&'static str>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        let _ = self.0.try_send("dropped");
    }
}

#[tokio::test]
async fn dropped_calls_close_their_connection() {
    let (report, mut reports) = mpsc::channel(1);
    let server = Stub::start(move |_: Request<Incoming>| {
        let report = report.clone();
        async move {
            report.send("started").await.unwrap();
            let _guard = OnDrop(report);
            std::future::pending::<()>().await;
            response(StatusCode::OK, "")
        }
    })
    .await;
    let tools = tool(&format!("url: http://{}/", server.address), "").await.unwrap();
    let call = tokio::spawn(async move { tools.run("f", "{}").await });
    assert_eq!(with_timeout(reports.recv()).await, Some("started"));
    call.abort();
    assert_eq!(with_timeout(reports.recv()).await, Some("dropped"));
}

#[tokio::test]
async fn invalid_requests_are_rejected() {
    let mut errors = Vec::new();
    for keys in [
        "url: localhost",
        "url: 'ftp://localhost/a'",
        "url: 'http://{{ args.host }}/'",
        "url: 'http://user@localhost/'",
        "url: 'http://localhost/{{ args.'",
        "url: 'http://localhost/{{ arg.city }}'",
        "url: 'http://localhost/', body: '{{ city }} {{ range(2) }}'",
        "url: 'http://localhost/', result: current",
        "url: 'http://localhost/', method: TRACE",
        "url: 'http://localhost/', headers: [{name: 'a b', value: c}]",
        "url: 'http://localhost/', headers: [{name: a}]",
        "url: 'http://localhost/', headers: [{name: a, envRef: MYNAH_NO_SUCH_VARIABLE}]",
        "url: 'http://localhost/', headers: [{name: a, secretKeyRef: {name: b}}]",
    ] {
        errors.push(tool(keys, "").await.err().unwrap());
    }
    errors.push(tool("url: 'http://localhost/'", "allow: ['localhost']").await.err().unwrap());
    insta::assert_snapshot!(errors.join("\n"), @r#"
    the tool "f": "localhost" is not an http or https URL; expected a URL such as http://localhost:8080/weather
    the tool "f": "ftp://localhost/a" is not an http or https URL; expected a URL such as http://localhost:8080/weather
    the tool "f": the host of "http://{{ args.host }}/" must not contain an expression
    the tool "f": "http://user@localhost/" is not an http or https URL; expected a URL such as http://localhost:8080/weather
    the tool "f": url: malformed template "/{{ args.", line 1, column 9: unexpected end of input, expected identifier or integer
    the tool "f": url: template "/{{ arg.city }}": unknown variable `arg`; expected one of: args
    the tool "f": body: template "{{ city }} {{ range(2) }}": unknown variable `city`; expected one of: args
    "current" is not a JSON Pointer; expected "/current"
    unknown value `TRACE`; expected one of `GET`, `POST`, `PUT`, `PATCH`, `DELETE`
    the tool "f": "a b" is not the name of a header
    the tool "f": the header "a": needs exactly one of value, envRef and secretKeyRef
    the tool "f": the header "a": the environment variable MYNAH_NO_SUCH_VARIABLE is not set
    the tool "f": the header "a": only components have secret stores; use envRef
    "localhost" is not an address; expected host:port, ip:port or cidr:port, such as localhost:8080 or 10.0.0.0/8:80
    "#);
}
