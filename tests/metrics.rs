//! The Prometheus metrics. `interop` reads them with the parsers of Prometheus.

use insta::assert_snapshot;
use mynah::internals::wire::json;
use serde_json::{Value, json};
use tonic::Code;

use crate::{
    chains::chain,
    support::{
        Sidecar,
        attacks::now,
        http::direct_client,
        messages::{request, user},
        process::wait_until,
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
    # HELP mynah_journal_file_dropped_total Entries that were not written to the journal file
    # TYPE mynah_journal_file_dropped_total counter
    mynah_journal_file_dropped_total 0
    # HELP mynah_memory_bytes Memory that calls use, as far as --max-memory limits it
    # TYPE mynah_memory_bytes gauge
    mynah_memory_bytes 16384
    # HELP mynah_session_counts_dropped_total Counts of sessions that were dropped because of a limit
    # TYPE mynah_session_counts_dropped_total counter
    mynah_session_counts_dropped_total 0
    "#);
    let (other_media_type, other_text) = scrape(&sidecar, "/").await;
    assert_eq!(other_media_type, media_type);
    // The call before may still use memory, until its connection has sent everything.
    let without_memory = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with("mynah_memory_bytes "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let (expected, other) = (without_memory(&text), without_memory(&other_text));
    assert_eq!(other, expected, "daprd serves them at / also");
}

/// Each of 100 faults counts the calls of each session. There is room for the counts of 1,000 sessions.
#[tokio::test]
async fn count_each_dropped_count_once() {
    let faults = json!(vec![json!({"every": 1_000_000, "delay": "1ms"}); 100]);
    let metadata = format!("spec:\n  metadata: [{{name: faults, value: '{faults}'}}]\n  ");
    let component = SCRIPTED.replace("spec: {type: conversation.scripted, version: v1}", "")
        + &metadata
        + "type: conversation.echo\n  version: v1\n";
    let sidecar = Sidecar::with_components(&component);
    let mut client = sidecar.client().await;
    for number in 0..1_002 {
        let mut call = request([user("Hi")]);
        call.metadata.insert("mynah-session".to_owned(), number.to_string());
        client.converse_alpha2(call).await.unwrap();
    }
    let scrapes = (0..8).map(|_| scrape(&sidecar, "/metrics"));
    for (_, text) in futures_util::future::join_all(scrapes).await {
        assert!(text.contains("\nmynah_session_counts_dropped_total 200\n"), "{text}");
    }
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

/// Returns the value of a series.
async fn value(sidecar: &Sidecar, series: &str) -> Option<f64> {
    let (_, text) = scrape(sidecar, "/metrics").await;
    let value = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    value.map(|value| value.parse().unwrap())
}

#[tokio::test]
async fn count_calls_by_surface_and_outcome() {
    let start = now();
    let sidecar = Sidecar::with_components(SCRIPTED);
    let hello = request([user("hi")]);
    sidecar.converse(hello.clone()).await.unwrap();
    sidecar.post(ALPHA2, json::write(&hello).unwrap()).await;
    let openai = json!({"model": "echo", "messages": [{"role": "user", "content": "hi"}]});
    for _ in 0..2 {
        sidecar.post("/v1/chat/completions", openai.to_string()).await;
    }
    let error = json!({"error": {"code": "ABORTED"}, "delay": "300ms"});
    sidecar.converse(request([chain(json!([error]))])).await.unwrap_err();
    sidecar.post("/v1/chat/completions", "{").await;
    let slow = request([chain(json!([{"messages": [{"text": "late"}], "delay": "1h"}]))]);
    sidecar.abandon(slow).await;
    let requests = |component: &str, outcome: &str, surface: &str| {
        format!(
            "mynah_requests_total{{component=\"{component}\",outcome=\"{outcome}\",\
             surface=\"{surface}\"}}"
        )
    };
    let cancelled = requests("echo", "cancelled", "grpc");
    // A series is shown before its first call is counted.
    let is_cancelled = async || value(&sidecar, &cancelled).await.filter(|count| *count > 0.0);
    assert_eq!(wait_until(is_cancelled, "the call was not counted").await, 1.0);
    let expected = [
        ("echo", "ok", "grpc", 1.0),
        ("echo", "ok", "http", 1.0),
        ("echo", "ok", "openai", 2.0),
        ("echo", "failed", "grpc", 1.0),
        ("", "failed", "openai", 1.0),
    ];
    for (component, outcome, surface, expected) in expected {
        let series = requests(component, outcome, surface);
        assert_eq!(value(&sidecar, &series).await, Some(expected), "{series}");
    }
    let latencies = |name: &str, success: &str, le: &str| {
        format!(
            "dapr_component_conversation_latencies_{name}{{app_id=\"mynah\",component=\"echo\",\
             namespace=\"\",success=\"{success}\"{le}}}"
        )
    };
    assert_eq!(value(&sidecar, &latencies("count", "true", "")).await, Some(4.0));
    assert_eq!(value(&sidecar, &latencies("count", "false", "")).await, Some(2.0));
    let all = latencies("bucket", "false", ",le=\"+Inf\"");
    assert_eq!(value(&sidecar, &all).await, Some(2.0));
    let short = latencies("bucket", "false", ",le=\"200\"");
    assert!(value(&sidecar, &short).await <= Some(1.0), "the delayed call took longer");
    let sum = value(&sidecar, &latencies("sum", "false", "")).await.unwrap();
    let elapsed = start.elapsed().as_secs_f64() * 1e3;
    assert!((300.0..elapsed).contains(&sum), "in milliseconds: {sum} of {elapsed}");
}
