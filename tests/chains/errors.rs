//! Tests of errors that a chain asks for, and of errors in the chain itself.

use mynah::internals::wire::{json, proto::conversation_stream_response_alpha2::Message as Part};
use prost::Message;
use serde_json::{Value, json};
use tonic::Code;

use super::{chain, failure, reason, scripted, text};
use crate::support::{
    http::direct_client,
    messages::{assistant, request, tool, user},
    stream,
};

const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";

/// The name and code of each gRPC status, with the HTTP status.
const STATUSES: [(&str, Code, u16); 16] = [
    ("CANCELLED", Code::Cancelled, 499),
    ("UNKNOWN", Code::Unknown, 500),
    ("INVALID_ARGUMENT", Code::InvalidArgument, 400),
    ("DEADLINE_EXCEEDED", Code::DeadlineExceeded, 504),
    ("NOT_FOUND", Code::NotFound, 404),
    ("ALREADY_EXISTS", Code::AlreadyExists, 409),
    ("PERMISSION_DENIED", Code::PermissionDenied, 403),
    ("RESOURCE_EXHAUSTED", Code::ResourceExhausted, 429),
    ("FAILED_PRECONDITION", Code::FailedPrecondition, 400),
    ("ABORTED", Code::Aborted, 409),
    ("OUT_OF_RANGE", Code::OutOfRange, 400),
    ("UNIMPLEMENTED", Code::Unimplemented, 501),
    ("INTERNAL", Code::Internal, 500),
    ("UNAVAILABLE", Code::Unavailable, 503),
    ("DATA_LOSS", Code::DataLoss, 500),
    ("UNAUTHENTICATED", Code::Unauthenticated, 401),
];

#[tokio::test]
async fn returns_every_status_on_every_surface() {
    let sidecar = scripted("");
    for (name, code, http) in STATUSES {
        let request =
            request([chain(json!([{"error": {"code": name, "message": "out of stock"}}]))]);
        let unary = sidecar.converse(request.clone()).await.unwrap_err();
        let streamed = stream(&sidecar, request.clone()).await.unwrap_err();
        for status in [unary, streamed] {
            assert_eq!((status.code(), reason(&status).as_str()), (code, "out of stock"), "{name}");
            assert!(status.details().is_empty(), "{name}");
        }
        let body = json::write(&request).unwrap();
        for reply in
            [sidecar.post(ALPHA2, body.clone()).await, sidecar.post_for_events(ALPHA2, body).await]
        {
            assert_eq!(reply.status, http, "{name}");
            assert_eq!(
                reply.json(),
                json!({
                    "errorCode": "ERR_CONVERSATION_INVOKE",
                    "message": "failed conversing with component echo: out of stock",
                })
            );
        }
    }
}

/// The fields of `google.rpc.Status` that these tests read.
#[derive(Clone, PartialEq, Message)]
struct RpcStatus {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(message, repeated, tag = "3")]
    details: Vec<prost_types::Any>,
}

#[tokio::test]
async fn sends_details_and_retry_delay_over_grpc_and_http() {
    let error = json!({"code": "RESOURCE_EXHAUSTED", "message": "slow down", "retry_after": "1500ms",
        "details": {"reason": "QUOTA", "domain": "example.com", "metadata": {"limit": "10"}}});
    let sidecar = scripted("");
    let request = request([chain(json!([{"error": error}]))]);
    let status = sidecar.converse(request.clone()).await.unwrap_err();
    let rpc = RpcStatus::decode(status.details()).unwrap();
    let urls: Vec<_> = rpc.details.iter().map(|any| any.type_url.as_str()).collect();
    let prefix = "type.googleapis.com/google.rpc.";
    assert_eq!(urls, ["ErrorInfo", "RetryInfo"].map(|name| format!("{prefix}{name}")));
    assert_eq!(rpc.code, Code::ResourceExhausted as i32);

    let client = direct_client().post(sidecar.url(ALPHA2));
    let reply = client.body(json::write(&request).unwrap()).send().await.unwrap();
    assert_eq!(
        (reply.status().as_u16(), &reply.headers()["retry-after"]),
        (429, &"2".parse().unwrap())
    );
    let body: Value = serde_json::from_str(&reply.text().await.unwrap()).unwrap();
    assert_eq!(
        body["details"],
        json!([
            {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "QUOTA",
                "domain": "example.com", "metadata": {"limit": "10"}},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.500s"},
        ])
    );
}

/// tonic reports a message over the limit with the same code and similar words.
#[tokio::test]
async fn keeps_the_code_and_details_of_an_error_about_a_length() {
    let text = "decoded message length too large: found 5 bytes, the limit is: 4 bytes";
    let error = json!({"code": "OUT_OF_RANGE", "message": text, "details": {"reason": "TOO_LONG"}});
    let request = request([chain(json!([{"error": error}]))]);
    let sidecar = scripted("");
    let unary = sidecar.converse(request.clone()).await.unwrap_err();
    let streamed = stream(&sidecar, request).await.unwrap_err();
    for status in [unary, streamed] {
        assert_eq!((status.code(), reason(&status).as_str()), (Code::OutOfRange, text));
        let rpc = RpcStatus::decode(status.details()).unwrap();
        assert_eq!((rpc.code, rpc.details.len()), (Code::OutOfRange as i32, 1));
    }
}

#[tokio::test]
async fn ends_a_stream_with_the_status_after_the_text() {
    let items = json!([{"text": "half an"}, {"text": "answer"}, {"error": {"code": "DATA_LOSS"}}]);
    let request = request([chain(json!([{"messages": items}]))]);
    let sidecar = scripted("");
    let (code, _) = failure(&sidecar, request.clone()).await;
    assert_eq!(code, Code::DataLoss);

    let client = sidecar.client().await.converse_stream_alpha2(request.clone()).await;
    let mut streamed = client.unwrap().into_inner();
    let mut text = String::new();
    let status = loop {
        match streamed.message().await {
            Ok(Some(part)) => match part.message.unwrap() {
                Part::Chunk(chunk) => text += &chunk.content,
                Part::Complete(complete) => panic!("{complete:?}"),
            },
            Ok(None) => panic!("the stream ends without a status"),
            Err(status) => break status,
        }
    };
    assert_eq!((text.as_str(), status.code()), ("half an\n\nanswer", Code::DataLoss));
    assert_eq!(reason(&status), "scripted DATA_LOSS");

    let reply = sidecar.post_for_events(ALPHA2, json::write(&request).unwrap()).await;
    assert_eq!(reply.status, 200);
    let (name, error) = reply.events().pop().unwrap();
    assert_eq!((name, &error["errorCode"]), ("error", &json!("ERR_CONVERSATION_INVOKE")));
}

#[tokio::test]
async fn rejects_a_chain_whose_later_step_is_invalid() {
    let steps = json!([text("fine"), {"mesages": []}]);
    let history = [user("hi"), assistant("hello"), chain(steps)];
    let (code, message) = failure(&scripted(""), request(history)).await;
    assert_eq!(code, Code::InvalidArgument);
    let known = "`id`, `id_message`, `reasoning`, `messages`, `respond`, `finish_reason`, `other_choices`, \
        `usage`, `delay`, `words_per_chunk`, `characters_per_chunk`, `chunk_delay`, `time_to_first_chunk`, \
        `error`, `times`, `empty`, `cut_after`, `model`, `stream`, `recorded`";
    assert_eq!(
        message,
        format!("chain in message 3, step 2: unknown key `mesages`; expected one of {known}")
    );
}

/// The error ends the turn, so these items would vanish without a word.
#[tokio::test]
async fn rejects_items_that_an_error_item_would_drop() {
    let error = json!({"error": {"code": "ABORTED"}});
    let calls = json!({"tool_call": [{"name": "f"}]});
    let ends = "follows an error, which ends the turn; make the error the last item";
    let never = "is never sent, because item 2 is an error; remove one of them";
    let sidecar = scripted("{name: allowUnoffered, value: true}");
    for (items, expected) in [
        (json!([error, {"text": "never"}]), format!("item 2: {ends}")),
        (json!([{"text": "sent"}, error, error]), format!("item 3: {ends}")),
        (json!([error, calls]), format!("item 2: {ends}")),
        (json!([calls, error]), format!("item 1, tool_call: {never}")),
    ] {
        let chain = chain(json!([text("fine"), {"messages": items}]));
        let (code, message) = failure(&sidecar, request([chain])).await;
        let expected = format!("chain in message 1, step 2, {expected}");
        assert_eq!((code, message), (Code::InvalidArgument, expected), "{items}");
    }
}

#[tokio::test]
async fn rejects_calls_to_tools_that_are_not_offered() {
    let steps = chain(json!([text("-"), {"messages": [{"tool_call": [{"name": "get_wether"}]}]}]));
    let mut request = request([steps, assistant("-")]);
    request.tools = ["get_weather", "get_time"].map(|name| tool(name, Value::Null)).into();
    let (code, message) = failure(&scripted(""), request.clone()).await;
    assert_eq!(code, Code::InvalidArgument);
    assert_eq!(
        message,
        "chain in message 1, step 2: calls \"get_wether\", which the request does not \
        offer; offered: \"get_weather\", \"get_time\"; to call it anyway, set allow_unoffered in a \
        rule, or allowUnoffered in the component"
    );
    request.tools = (0..25).map(|number| tool(&format!("t{number}"), Value::Null)).collect();
    let (_, message) = failure(&scripted(""), request.clone()).await;
    assert!(message.contains("\"t8\", \"t9\" and 15 more; to call"), "{message}");
    let lenient = scripted("{name: allowUnoffered, value: true}");
    assert_eq!(lenient.converse(request).await.unwrap().called_tools(), ["get_wether"]);
}

#[tokio::test]
async fn ignores_tool_choice() {
    let steps = chain(json!([{"messages": [{"tool_call": [{"name": "f"}]}]}]));
    let mut request = request([steps]);
    request.tools = ["f", "g"].map(|name| tool(name, Value::Null)).into();
    for choice in ["none", "g", "required"] {
        request.tool_choice = Some(choice.to_owned());
        assert_eq!(scripted("").converse(request.clone()).await.unwrap().called_tools(), ["f"]);
    }
}

#[tokio::test]
async fn limits_the_size_of_an_answer() {
    let items = vec![json!({"text_message": {"length": 100_000}}); 8];
    let (code, message) =
        failure(&scripted(""), request([chain(json!([{"messages": items}]))])).await;
    assert_eq!(code, Code::InvalidArgument);
    assert_eq!(message, "chain in message 1, step 1: produces more than 4194304 bytes of text");
}

/// Errors are sent in headers, and clients accept at most 16 KiB of headers.
#[tokio::test]
async fn delivers_the_longest_error() {
    let (text, word) = ("\u{1f600}".repeat(500), "\u{1f600}".repeat(64));
    let metadata: serde_json::Map<_, _> =
        (0..8).map(|n| (format!("{n}{}", "\u{1f600}".repeat(63)), json!(word))).collect();
    let details = json!({"reason": word, "domain": word, "metadata": metadata});
    let error =
        json!({"code": "ABORTED", "message": text, "details": details, "retry_after": "1s"});
    let sidecar = scripted("");
    let status = sidecar.converse(request([chain(json!([{"error": error}]))])).await.unwrap_err();
    assert_eq!((status.code(), reason(&status)), (Code::Aborted, text));

    let mut request = request([chain(json!([{"messages": [{"tool_call": [{"name": "f"}]}]}]))]);
    request.tools = vec![tool(&"\u{10ffff}".repeat(1000), Value::Null); 100];
    let (code, message) = failure(&sidecar, request).await;
    assert_eq!(code, Code::InvalidArgument);
    assert!(
        message.starts_with("chain in message 1, step 1") && message.ends_with('…'),
        "{message}"
    );
}
