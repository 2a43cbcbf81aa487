//! Tests of the API token and of rejected browser requests.

use futures_util::{StreamExt, stream};
use mynah::internals::wire::proto::{GetMetadataRequest, dapr_client::DaprClient};
use reqwest::RequestBuilder;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::{Code, Request, Status, transport::Channel};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest,
};

use crate::support::{
    Sidecar,
    http::{direct_builder, direct_client},
    messages::prompt,
    mynah,
    process::{Process, with_timeout},
};

const TOKEN: &str = "a secret";
const CONVERSE: &str = "/v1.0-alpha2/conversation/echo/converse";

fn guarded() -> Sidecar {
    Sidecar::start_in(&[("DAPR_API_TOKEN", TOKEN)], &[])
}

async fn channel(sidecar: &Sidecar) -> Channel {
    let endpoint = Channel::from_shared(format!("http://{}", sidecar.grpc)).unwrap();
    endpoint.connect().await.unwrap()
}

fn with<T>(token: Option<&str>, message: T) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(token) = token {
        request.metadata_mut().insert("dapr-api-token", token.parse().unwrap());
    }
    request
}

/// Calls every gRPC method except health.
async fn all_methods(sidecar: &Sidecar, token: Option<&str>) -> Vec<Result<(), Status>> {
    use mynah::internals::wire::proto::{ConversationRequest, SetMetadataRequest, ShutdownRequest};
    let alpha1 = || ConversationRequest { name: "echo".to_owned(), ..Default::default() };
    let mut client = DaprClient::new(channel(sidecar).await);
    let mut reflection = ServerReflectionClient::new(channel(sidecar).await);
    let list = MessageRequest::ListServices(String::new());
    let list = ServerReflectionRequest { host: String::new(), message_request: Some(list) };
    let label = SetMetadataRequest { key: "k".to_owned(), value: "v".to_owned() };
    let list_services = async {
        let request = with(token, stream::iter([list]));
        let mut answers = reflection.server_reflection_info(request).await?.into_inner();
        answers.next().await.unwrap().map(|_| ())
    };
    vec![
        client.converse_alpha1(with(token, alpha1())).await.map(|_| ()),
        client.converse_stream_alpha1(with(token, alpha1())).await.map(|_| ()),
        client.converse_alpha2(with(token, prompt("x", []))).await.map(|_| ()),
        client.converse_stream_alpha2(with(token, prompt("x", []))).await.map(|_| ()),
        client.get_metadata(with(token, GetMetadataRequest {})).await.map(|_| ()),
        client.set_metadata(with(token, label)).await.map(|_| ()),
        list_services.await,
        client.shutdown(with(token, ShutdownRequest {})).await.map(|_| ()),
    ]
}

#[tokio::test]
async fn every_grpc_method_requires_the_token() {
    let sidecar = guarded();
    let cases = [
        (None, "missing api token in request metadata"),
        (Some("wrong"), "authentication error: api token mismatch"),
        (Some(""), "authentication error: api token mismatch"),
    ];
    for (token, reason) in cases {
        for (method, answer) in all_methods(&sidecar, token).await.into_iter().enumerate() {
            let status = answer.unwrap_err();
            assert_eq!(status.code(), Code::Unauthenticated, "method {method}");
            assert_eq!(status.message(), "Unauthorized");
            let details = String::from_utf8_lossy(status.details());
            let expected = ["google.rpc.ErrorInfo", "dapr.io", "http.code", "401", reason];
            assert!(expected.iter().all(|text| details.contains(text)), "{details}");
        }
    }
    let with_token = all_methods(&sidecar, Some(TOKEN)).await;
    let proto = include_str!("../proto/dapr/proto/runtime/v1/dapr.proto");
    let dapr_methods = proto.lines().filter(|line| line.trim().starts_with("rpc ")).count();
    assert_eq!(with_token.len(), dapr_methods + 1, "every method of Dapr, and reflection");
    let is_unauthorized = |answer: &Result<(), Status>| {
        answer.as_ref().is_err_and(|status| status.code() == Code::Unauthenticated)
    };
    assert!(!with_token.iter().any(is_unauthorized), "{with_token:?}");
}

#[tokio::test]
async fn health_checks_need_no_token() {
    let sidecar = guarded();
    let mut health = HealthClient::new(channel(&sidecar).await);
    assert!(health.check(HealthCheckRequest::default()).await.is_ok());
    for path in ["/v1.0/healthz", "/v1.0/healthz/outbound", "//v1.0/healthz/"] {
        assert_eq!(sidecar.get(path).await.status, 204, "{path}");
    }
}

#[tokio::test]
async fn every_http_path_requires_the_token() {
    let sidecar = guarded();
    let client = direct_client();
    let requests = || -> [(RequestBuilder, u16); 5] {
        [
            (client.post(sidecar.url(CONVERSE)).body(r#"{"inputs":[{}]}"#), 200),
            (client.get(sidecar.url("/v1.0/metadata")), 200),
            (client.put(sidecar.url("/v1.0/metadata/k")).body("v"), 204),
            (client.get(sidecar.url("/nope")), 404),
            (client.post(sidecar.url("/v1.0/healthz")), 404),
        ]
    };
    for (request, status) in requests() {
        let reply = sidecar.send(request.header("dapr-api-token", TOKEN)).await;
        assert_eq!(reply.status, status);
    }
    for token in [None, Some("wrong")] {
        for (request, _) in requests() {
            let request = match token {
                Some(token) => request.header("dapr-api-token", token),
                None => request,
            };
            let reply = sidecar.send(request).await;
            let answer = (reply.status, reply.content_type.as_str(), reply.body.as_str());
            assert_eq!(answer, (401, "text/plain; charset=utf-8", "invalid api token\n"));
        }
    }
}

#[tokio::test]
async fn the_control_api_names_the_header_of_the_token() {
    let sidecar = guarded();
    let reply = sidecar.post("/mynah/v1/reset", "").await;
    let error = r#"{"error":"Unauthorized; send the token in the header dapr-api-token"}"#;
    assert_eq!((reply.status, reply.body.as_str()), (401, error));
}

#[tokio::test]
async fn rejects_browser_requests_from_other_sites() {
    let sidecar = Sidecar::start_with(&["--allowed-hosts", "dev.example,other.example"]);
    let client = direct_client();
    let call = async |name: &'static str, value: &'static str| {
        let request = client.post(sidecar.url(CONVERSE)).body(r#"{"inputs":[{}]}"#);
        sidecar.send(request.header(name, value)).await.status
    };
    for (name, value) in [
        ("host", "localhost:3500"),
        ("host", "other.example"),
        ("origin", "http://localhost:8080"),
        ("sec-fetch-site", "same-origin"),
    ] {
        assert_eq!(call(name, value).await, 200, "{name}: {value}");
    }
    for (name, value) in [
        ("host", "evil.example"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
    ] {
        assert_eq!(call(name, value).await, 403, "{name}: {value}");
    }
    let shutdown =
        client.post(sidecar.url("/v1.0/shutdown")).header("origin", "https://evil.example");
    let reply = sidecar.send(shutdown).await;
    assert_eq!(reply.status, 403);
    assert_eq!(
        reply.json()["message"],
        "the origin \"https://evil.example\" is not on this machine; browser calls are limited to \
         this machine and the hosts in --allowed-hosts"
    );
    assert_eq!(sidecar.converse(prompt("still here", [])).await.unwrap().content, "still here");
}

/// Any host name may be the sidecar's own there, but not one that a page names.
#[tokio::test]
async fn rejects_pages_also_if_other_machines_can_call() {
    let flags = ["--dapr-listen-addresses=0.0.0.0"];
    let sidecar = Sidecar::start_with(&flags);
    let named = Sidecar::start_with(&[flags[0], "--allowed-hosts=dev.example"]);
    let shutdown = "POST /v1.0/shutdown HTTP/1.1\r\ncontent-length: 0\r\n";
    for (headers, status, status_with_names) in [
        ("host: mynah:3500\r\norigin: https://evil.example\r\n", 403, 403),
        ("host: 192.0.2.7\r\norigin: http://192.0.2.8\r\n", 403, 403),
        ("host: evil.example\r\norigin: http://evil.example\r\n", 403, 403),
        ("host: mynah:3500\r\nsec-fetch-site: cross-site\r\n", 403, 403),
        ("host: dev.example\r\nsec-fetch-site: same-origin\r\n", 403, 204),
        ("host: mynah:3500\r\n", 204, 403),
    ] {
        let request = format!("{shutdown}{headers}\r\n");
        if status != 204 {
            assert_eq!(status_of(&sidecar, &request).await, status, "{headers}");
        }
        if status_with_names != 204 {
            assert_eq!(status_of(&named, &request).await, status_with_names, "{headers}");
        }
    }
    for (sidecar, host) in [(&sidecar, "mynah:3500"), (&named, "dev.example")] {
        let request = format!("{shutdown}host: {host}\r\n\r\n");
        assert_eq!(status_of(sidecar, &request).await, 204, "{host}");
    }
}

#[tokio::test]
async fn rejects_contradicting_headers() {
    for flags in [&[][..], &["--dapr-listen-addresses=0.0.0.0"]] {
        let sidecar = Sidecar::start_with(flags);
        for (target, headers, status) in [
            ("/v1.0/metadata", "host: localhost\r\n", 200),
            ("/v1.0/metadata", "host: localhost\r\nhost: localhost\r\n", 400),
            ("/v1.0/metadata", "host: localhost\r\nhost: evil.example\r\n", 400),
            ("/v1.0/metadata", "host: a\r\norigin: http://localhost\r\norigin: http://a\r\n", 400),
            ("http://localhost/v1.0/metadata", "host: localhost\r\n", 200),
            ("http://localhost/v1.0/metadata", "host: localhost:3500\r\n", 400),
            ("http://localhost/v1.0/metadata", "host: evil.example\r\n", 400),
        ] {
            let request = format!("GET {target} HTTP/1.1\r\n{headers}\r\n");
            assert_eq!(status_of(&sidecar, &request).await, status, "{request}");
        }
        let client = direct_builder().http2_prior_knowledge().build().unwrap();
        let authority = sidecar.http.to_string();
        for (host, status) in [(authority.as_str(), 200), ("localhost", 400)] {
            let request = client.get(sidecar.url("/v1.0/metadata")).header("host", host);
            assert_eq!(sidecar.send(request).await.status, status, "{host}");
        }
    }
}

/// Returns the status of the answer to a head.
async fn status_of(sidecar: &Sidecar, head: &str) -> u16 {
    let mut connection = TcpStream::connect(sidecar.http).await.unwrap();
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut status = [0; 12];
    with_timeout(connection.read_exact(&mut status)).await.unwrap();
    let status = str::from_utf8(&status).unwrap().strip_prefix("HTTP/1.1 ");
    status.unwrap().parse().unwrap()
}

/// HTTP removes blanks around the value of a header, and forbids control characters in it.
#[test]
fn refuses_a_token_that_no_call_can_carry() {
    for token in [" a", "a ", "a\t", "a\n", "a\r\nb", "a\u{1}"] {
        for command in [&["serve"][..], &["run", "--", "true"]] {
            let free = ["--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0"];
            let mut start = mynah();
            start.arg(command[0]).args(free).args(&command[1..]).env("DAPR_API_TOKEN", token);
            let output = Process::start(&mut start).wait();
            assert_eq!(output.code, Some(64), "{token:?} {output:?}");
            assert_eq!(
                output.stderr,
                "mynah: invalid value of DAPR_API_TOKEN: expected text without control characters, \
                 and without blanks at its ends\n"
            );
        }
    }
}
