//! Tests of models that daprd calls. mynah in front of it records their answers, and replays them
//! without daprd.

use std::{net::SocketAddr, path::PathBuf};

use futures_util::TryStreamExt;
use mynah::internals::wire::proto::{
    ConversationRequestAlpha2, ConversationResponseAlpha2, ConversationStreamResponseAlpha2,
    dapr_client::DaprClient,
};
use mynah_needs::needs;
use serde_json::{Value, json};
use tonic::{Code, Response, Status};

use super::{RULES, model, openai, resources, start};
use crate::{
    interop::behind_daprd::with_daprd,
    parity::target::{Setup, Target},
    record::stop,
    support::{
        Sidecar,
        http::direct_client,
        messages::{assistant_with_calls, request, system, tool, tool_call, tool_result, user},
        ports::ReservedPort,
        scratch,
    },
};

/// A model that fails.
const FAILING: &str =
    "rules: [{ respond: { error: { code: RESOURCE_EXHAUSTED, message: slow down } } }]";

/// The components: one with a model, and daprd's echo.
const COMPONENTS: [&str; 2] = ["gpt", "parrot"];

/// Returns options of a daprd whose model serves a port.
fn setup(model: &ReservedPort) -> Setup {
    let model = openai(model.number);
    let components: [(&str, &str, &[Value]); 2] =
        [("gpt", "conversation.openai", &model), ("parrot", "conversation.echo", &[])];
    Setup { resources: vec![resources(&components)], ..Setup::default() }
}

/// Returns the components for mynah, which answers for the type `conversation.echo` itself.
fn components() -> PathBuf {
    resources(&[("gpt", "conversation.openai", &[]), ("parrot", "conversation.anthropic", &[])])
}

/// Starts mynah in front of daprd.
fn recorder(daprd: &Target, recordings: &str) -> Sidecar {
    let daprd = daprd.grpc.to_string();
    let flags = ["--daprd", &daprd, "--upstream", "daprd", "--record", recordings];
    start(&components(), &[&flags[..], &["--record-errors"]].concat())
}

/// Returns a question, and the same question with the result of the call that it leads to.
fn requests(component: &str, temperature: f64) -> [ConversationRequestAlpha2; 2] {
    let location = json!({ "type": "object", "properties": { "location": { "type": "string" } } });
    let tools = vec![tool("get_weather", location)];
    let question = [system("Be brief."), user("What is the weather in Paris, señor?")];
    let call = tool_call("c1", "get_weather", r#"{"location":"Paris"}"#);
    let turns = [assistant_with_calls("Wait.", [call]), tool_result("c1", "get_weather", "Rain")];
    let history = [&question[..], &turns].concat();
    [question.to_vec(), history].map(|messages| ConversationRequestAlpha2 {
        name: component.to_owned(),
        temperature: Some(temperature),
        tools: tools.clone(),
        ..request(messages)
    })
}

/// Asks a daprd or a mynah.
async fn converse(
    grpc: SocketAddr,
    request: ConversationRequestAlpha2,
) -> Result<ConversationResponseAlpha2, Status> {
    let mut client = DaprClient::connect(format!("http://{grpc}")).await.unwrap();
    client.converse_alpha2(request).await.map(Response::into_inner)
}

async fn streamed(
    mynah: &Sidecar,
    request: ConversationRequestAlpha2,
) -> Result<Vec<ConversationStreamResponseAlpha2>, Status> {
    let stream = mynah.client().await.converse_stream_alpha2(request).await?;
    stream.into_inner().try_collect().await
}

/// Asks in both ways, and returns all answers. The streams are other requests.
async fn answers(
    mynah: &Sidecar,
) -> (Vec<ConversationResponseAlpha2>, Vec<Vec<ConversationStreamResponseAlpha2>>) {
    let (mut whole, mut streams) = (Vec::new(), Vec::new());
    for component in COMPONENTS {
        for request in requests(component, 0.25) {
            whole.push(converse(mynah.grpc, request).await.unwrap());
        }
        for request in requests(component, 0.75) {
            streams.push(streamed(mynah, request).await.unwrap());
        }
    }
    (whole, streams)
}

#[needs("daprd")]
#[test]
fn answers_of_daprd_are_repeated_without_it() {
    let port = ReservedPort::new();
    with_daprd(&setup(&port), async |daprd| {
        let model = model(&port, RULES);
        let recordings = scratch("recordings");
        let recordings = recordings.to_str().unwrap();
        let recorder = recorder(&daprd, recordings);
        let recorded = answers(&recorder).await;
        let requests = COMPONENTS.into_iter().flat_map(|component| requests(component, 0.25));
        for (request, recorded) in requests.zip(&recorded.0) {
            assert_eq!(converse(daprd.grpc, request).await.as_ref().unwrap(), recorded);
        }
        stop(recorder).await;
        drop((daprd, model));
        let replay = start(&components(), &["--replay", recordings]);
        assert_eq!(answers(&replay).await, recorded);
    });
}

/// Asserts that a call fails in the same way with daprd, with mynah in front of it, and in a stream.
async fn fails_alike(daprd: &Target, mynah: &Sidecar, expected: &str) {
    let [request, _] = requests("gpt", 0.5);
    let expected = format!("failed conversing with component gpt: {expected}");
    let errors = [
        converse(daprd.grpc, request.clone()).await.unwrap_err(),
        converse(mynah.grpc, request.clone()).await.unwrap_err(),
        streamed(mynah, request).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!((error.code(), error.message()), (Code::Internal, expected.as_str()));
    }
    let body = r#"{"inputs": [{"messages": [{"ofUser": {"content": [{"text": "hi"}]}}]}]}"#;
    let path = "/v1.0-alpha2/conversation/gpt/converse";
    let by_mynah = mynah.post(path, body).await;
    let url = format!("http://{}{path}", daprd.http);
    let by_daprd = mynah.send(direct_client().post(url).body(body)).await;
    assert_eq!((by_mynah.status, by_mynah.json()), (by_daprd.status, by_daprd.json()));
}

#[needs("daprd")]
#[test]
fn errors_of_daprd_are_those_of_mynah() {
    let port = ReservedPort::new();
    with_daprd(&setup(&port), async |daprd| {
        let recordings = scratch("recordings");
        let recordings = recordings.to_str().unwrap();
        let recorder = recorder(&daprd, recordings);
        let model = model(&port, FAILING);
        let failure = "API returned unexpected status code: 429: slow down";
        fails_alike(&daprd, &recorder, failure).await;
        stop(recorder).await;
        let replay = start(&components(), &["--replay", recordings]);
        fails_alike(&daprd, &replay, failure).await;
        drop(model);
    });
}

#[needs("daprd")]
#[test]
fn daprd_without_its_model_fails_as_without_mynah() {
    let port = ReservedPort::new();
    with_daprd(&setup(&port), async |daprd| {
        let recordings = scratch("recordings");
        let recorder = recorder(&daprd, recordings.to_str().unwrap());
        fails_alike(&daprd, &recorder, "network error: failed to reach API server").await;
    });
}
