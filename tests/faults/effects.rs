//! Tests of what faults do to gRPC calls.

use futures_util::future::join;
use mynah::internals::wire::{
    json,
    proto::{ConversationRequestAlpha2, conversation_stream_response_alpha2::Message as Part},
};
use serde_json::{Value, json};
use tonic::{Code, Request};

use super::{ALPHA2, component, faulty};
use crate::support::{
    Sidecar,
    messages::{prompt, tool},
    process::with_timeout,
    stream,
};

#[tokio::test]
async fn an_error_has_details() {
    let error = json!({"code": "RESOURCE_EXHAUSTED", "message": "slow down", "retry_after": "2s",
        "details": {"reason": "QUOTA"}});
    let sidecar = faulty(json!({"error": error}));
    let status = sidecar.converse(prompt("hi", [])).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert_eq!(status.message(), "failed conversing with component echo: slow down");
    let details = String::from_utf8_lossy(status.details()).into_owned();
    assert!(details.contains("QUOTA") && details.contains("google.rpc.RetryInfo"), "{details}");
}

#[tokio::test]
async fn a_status_is_in_the_headers_or_in_the_trailers() {
    for (trailers_only, opens_stream) in
        [(Value::Null, false), (json!(true), false), (json!(false), true)]
    {
        let sidecar = faulty(json!({"error": {"code": "ABORTED", "details": {"reason": "R"}},
            "trailers_only": trailers_only, "surfaces": ["grpc"]}));
        let mut client = sidecar.client().await;
        let unary = client.converse_alpha2(prompt("hi", [])).await.unwrap_err();
        let (streamed, is_open) = match client.converse_stream_alpha2(prompt("hi", [])).await {
            Ok(stream) => (stream.into_inner().message().await.unwrap_err(), true),
            Err(status) => (status, false),
        };
        assert_eq!(is_open, opens_stream, "{trailers_only}");
        for status in [unary, streamed] {
            assert_eq!(status.code(), Code::Aborted);
            assert!(!status.metadata().contains_key("mynah-ending"), "{status:?}");
            assert!(!status.details().is_empty(), "{status:?}");
        }
    }
}

#[tokio::test]
async fn a_call_hangs_until_its_deadline() {
    let sidecar = faulty(json!({"hang": true}));
    let mut call = Request::new(prompt("hi", []));
    call.metadata_mut().insert("grpc-timeout", "50m".parse().unwrap());
    let status = sidecar.client().await.converse_alpha2(call).await.unwrap_err();
    // The client or the server notices first.
    assert!([Code::DeadlineExceeded, Code::Cancelled].contains(&status.code()), "{status:?}");
}

#[tokio::test]
async fn a_delay_only_delays() {
    let sidecar = faulty(json!({"delay": "1ms"}));
    assert_eq!(sidecar.converse(prompt("hi", [])).await.unwrap().content, "hi");
    assert_eq!(stream(&sidecar, prompt("hi", [])).await.unwrap().answer.content, "hi");
    let sidecar = faulty(json!({"delay": "1ms", "error": {"code": "ABORTED"}}));
    assert_eq!(sidecar.converse(prompt("hi", [])).await.unwrap_err().code(), Code::Aborted);
}

#[tokio::test]
async fn a_stream_breaks_off() {
    let sidecar = faulty(json!({"cut_after": 2}));
    let mut client = sidecar.client().await;
    let answer = client.converse_stream_alpha2(prompt("one two three", [])).await;
    let mut stream = answer.unwrap().into_inner();
    let mut chunks = Vec::new();
    while let Ok(part) = stream.message().await {
        match part.expect("the stream breaks off").message.unwrap() {
            Part::Chunk(chunk) => chunks.push(chunk.content),
            Part::Complete(complete) => panic!("{complete:?}"),
        }
    }
    assert_eq!(chunks, ["one", " two"]);
    assert!(client.converse_alpha2(prompt("one two three", [])).await.is_err());
}

#[tokio::test]
async fn a_connection_is_reset_with_all_its_calls() {
    let yaml = [
        component("echo", json!({"hang": true})),
        component("other", json!({"fail_first": 1, "reset": true})),
    ];
    let sidecar = Sidecar::with_components(&yaml.join("---\n"));
    let (mut first, mut second) = {
        let client = sidecar.client().await;
        (client.clone(), client)
    };
    let other = ConversationRequestAlpha2 { name: "other".to_owned(), ..prompt("hi", []) };
    // The first call is sent first.
    let hanging = first.converse_alpha2(prompt("hi", []));
    let (hanging, reset) = with_timeout(join(hanging, second.converse_alpha2(other.clone()))).await;
    for status in [hanging.unwrap_err(), reset.unwrap_err()] {
        let is_lost = [Code::Unavailable, Code::Unknown, Code::Internal].contains(&status.code());
        assert!(is_lost, "{status:?}");
    }
    assert_eq!(sidecar.converse(other).await.unwrap().content, "hi");
}

#[tokio::test]
async fn parts_of_a_response_are_missing() {
    for (part, outputs, choices) in [("outputs", 0, 0), ("choices", 1, 0), ("message", 1, 1)] {
        let sidecar = faulty(json!({"empty": part}));
        let mut client = sidecar.client().await;
        let answer = client.converse_alpha2(prompt("hi", [])).await.unwrap().into_inner();
        assert_eq!(answer.outputs.len(), outputs, "{part}");
        let found = answer.outputs.first().map_or(0, |output| output.choices.len());
        assert_eq!(found, choices, "{part}");
        let mut stream =
            client.converse_stream_alpha2(prompt("hi", [])).await.unwrap().into_inner();
        let Some(Part::Complete(complete)) = stream.message().await.unwrap().unwrap().message
        else {
            panic!("{part}")
        };
        assert_eq!(complete.outputs, answer.outputs);
    }
}

/// Returns the arguments of the tool calls in the answer to a request.
async fn arguments(sidecar: &Sidecar, text: &str) -> Vec<String> {
    let schema = json!({"type": "object", "properties": {"location": {"type": "string"}}});
    let request = prompt(text, [tool("get_weather", schema)]);
    let answer = sidecar.post(ALPHA2, json::write(&request).unwrap()).await.json();
    let calls = &answer["outputs"][0]["choices"][0]["message"]["toolCalls"];
    let arguments = |call: &Value| call["function"]["arguments"].as_str().unwrap().to_owned();
    calls.as_array().into_iter().flatten().map(arguments).collect()
}

#[tokio::test]
async fn arguments_of_tool_calls_are_malformed() {
    let sidecar = faulty(json!({"fail_first": 1, "malformed_args": true}));
    // An answer without calls does not count.
    assert_eq!(arguments(&sidecar, "hi").await, [""; 0]);
    let malformed = arguments(&sidecar, "What is the weather in Paris?").await;
    assert_eq!(malformed.len(), 1);
    assert!(malformed[0].starts_with('{'), "{malformed:?}");
    assert!(serde_json::from_str::<Value>(&malformed[0]).is_err(), "{malformed:?}");
    let fine = arguments(&sidecar, "What is the weather in Paris?").await;
    assert!(serde_json::from_str::<Value>(&fine[0]).is_ok(), "{fine:?}");
    let sidecar = faulty(json!({"malformed_args": "oops"}));
    assert_eq!(arguments(&sidecar, "What is the weather in Paris?").await, ["oops"]);
}

#[tokio::test]
async fn malformed_arguments_can_be_delayed() {
    let sidecar = faulty(json!({"delay": "200ms", "malformed_args": "oops"}));
    assert_eq!(arguments(&sidecar, "What is the weather in Paris?").await, ["oops"]);
    let schema = json!({"type": "object"});
    let request = prompt("What is the weather in Paris?", [tool("get_weather", schema)]);
    let mut client = sidecar.client().await;
    let mut stream = client.converse_stream_alpha2(request).await.unwrap().into_inner();
    let mut last = None;
    while let Some(part) = stream.message().await.unwrap() {
        last = Some(part);
    }
    assert!(format!("{last:?}").contains("oops"), "{last:?}");
    let journal = sidecar.get("/mynah/v1/journal").await.json();
    for entry in journal["entries"].as_array().unwrap() {
        assert!(entry["duration_ms"].as_f64().unwrap() >= 200.0, "{entry}");
    }
}
