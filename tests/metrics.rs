//! The Prometheus metrics. `interop` reads them with the parsers of Prometheus.

use insta::assert_snapshot;
use mynah::internals::wire::json;
use serde_json::{Value, json};
use tonic::Code;

use crate::{
    chains::chain,
    support::{
        Sidecar,
        http::direct_client,
        messages::{request, user},
        stream,
    },
};

const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";
const SCRIPTED: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: echo}
spec: {type: conversation.scripted, version: v1}
";

/// Returns the media type and the text of the metrics.
async fn scrape(sidecar: &Sidecar, path: &str) -> (String, String) {
    let url = format!("http://{}{path}", sidecar.metrics.unwrap());
    let answer = direct_client().get(url).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let media_type = answer.headers()["content-type"].to_str().unwrap().to_owned();
    (media_type, answer.text().await.unwrap())
}

/// Returns the number of succeeded and failed calls.
async fn counts(sidecar: &Sidecar) -> [u64; 2] {
    let (_, text) = scrape(sidecar, "/metrics").await;
    ["true", "false"].map(|success| {
        let series = format!(
            "dapr_component_conversation_count{{app_id=\"mynah\",component=\"echo\",\
             namespace=\"\",success=\"{success}\"}} "
        );
        let value = text.lines().find_map(|line| line.strip_prefix(&series));
        value.unwrap_or_else(|| panic!("{text}")).parse().unwrap()
    })
}

#[tokio::test]
async fn are_text_of_prometheus() {
    let sidecar = Sidecar::start_with(&["--app-id=shop \"1\""]);
    let (media_type, text) = scrape(&sidecar, "/metrics").await;
    assert_eq!(media_type, "text/plain; version=0.0.4");
    let version = format!("version=\"{}\"", env!("CARGO_PKG_VERSION"));
    assert_snapshot!(text.replace(&version, "version=\"[version]\""), @r#"
    # HELP dapr_component_conversation_count Conversation calls that reached a component
    # TYPE dapr_component_conversation_count counter
    dapr_component_conversation_count{app_id="shop \"1\"",component="echo",namespace="",success="false"} 0
    dapr_component_conversation_count{app_id="shop \"1\"",component="echo",namespace="",success="true"} 0
    # HELP mynah_build_info Build information
    # TYPE mynah_build_info gauge
    mynah_build_info{version="[version]"} 1
    # HELP mynah_component_reloads_total Reloads of component files, by result
    # TYPE mynah_component_reloads_total counter
    mynah_component_reloads_total{result="failed"} 0
    mynah_component_reloads_total{result="ok"} 0
    # HELP mynah_journal_dropped_total Entries that the journal dropped because there was no room
    # TYPE mynah_journal_dropped_total counter
    mynah_journal_dropped_total 0
    # HELP mynah_session_counts_dropped_total Counts of sessions that were dropped because of a limit
    # TYPE mynah_session_counts_dropped_total counter
    mynah_session_counts_dropped_total 0
    "#);
    assert_eq!(scrape(&sidecar, "/").await, (media_type, text), "daprd serves them at / also");
}

#[tokio::test]
async fn count_succeeded_and_failed_calls_of_every_kind() {
    let sidecar = Sidecar::with_components(SCRIPTED);
    assert_eq!(counts(&sidecar).await, [0, 0]);
    let error = json!({"error": {"code": "ABORTED"}});
    let late = json!([{"text": "half"}, error]);
    let calls = [
        (vec![user("hi")], [1, 0]),
        (vec![chain(json!([error]))], [0, 1]),
        (vec![chain(json!([{"messages": late}]))], [0, 1]),
        // A chain that is not valid fails in the component.
        (vec![chain(Value::Null)], [0, 1]),
    ];
    let mut expected = [0, 0];
    for (messages, [succeeded, failed]) in calls {
        let request = request(messages);
        let body = json::write(&request).unwrap();
        let _ = sidecar.converse(request.clone()).await;
        let _ = stream(&sidecar, request).await;
        sidecar.post(ALPHA2, body.clone()).await;
        sidecar.post_for_events(ALPHA2, body).await;
        expected[0] += 4 * succeeded;
        expected[1] += 4 * failed;
        assert_eq!(counts(&sidecar).await, expected);
    }
}

#[tokio::test]
async fn do_not_count_calls_that_reach_no_component() {
    let sidecar = Sidecar::start();
    let mut unknown = request([user("hi")]);
    unknown.name = "nope".to_owned();
    let mut empty = request([]);
    empty.inputs.clear();
    for request in [unknown, empty] {
        let status = sidecar.converse(request).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
    }
    assert_eq!(counts(&sidecar).await, [0, 0]);
}
