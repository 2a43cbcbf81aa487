//! The counters of components that are replaced, removed and added.

use std::fs;

use mynah::internals::wire::proto::{
    ConversationRequestAlpha2, conversation_stream_response_alpha2::Message,
};

use super::{Served, component};
use crate::support::{
    attacks::{is_full_scale, report_row},
    messages::{request, user},
};

/// Components in each of the generations that replace each other.
const GENERATION: usize = 500;

impl Served {
    /// Returns the counter of the succeeded calls of a component.
    async fn count(&self, name: &str) -> Option<u64> {
        let labels = format!("component=\"{name}\",namespace=\"\",success=\"true\"}} ");
        let text = self.metrics().await;
        text.lines().find_map(|line| line.split_once(&labels)?.1.parse().ok())
    }

    async fn call(&self, name: &str) {
        let asked = ConversationRequestAlpha2 { name: name.to_owned(), ..request([user("hi")]) };
        self.sidecar.converse(asked).await.unwrap();
    }
}

#[tokio::test]
async fn survive_a_change_and_go_with_their_component() {
    let files = [("a.yaml", &*component("a", "first")), ("b.yaml", &component("b", "first"))];
    let served = Served::folder(&files, &[]);
    for name in ["a", "a", "b"] {
        served.call(name).await;
    }
    served.put("a.yaml", &component("a", "second"));
    served.wait_for_log("changed a").await;
    served.call("a").await;
    assert_eq!([served.count("a").await, served.count("b").await], [Some(3), Some(1)]);

    fs::remove_file(served.file("b.yaml")).unwrap();
    served.wait_for_log("removed b").await;
    assert!(!served.metrics().await.contains("component=\"b\""));
    served.put("b.yaml", &component("b", "third"));
    served.wait_for_log("added b").await;
    assert_eq!([served.count("a").await, served.count("b").await], [Some(3), Some(0)]);
}

#[tokio::test]
async fn are_removed_while_a_call_is_in_flight() {
    let slow = component("slow", "m}, {name: chunkDelay, value: 1h");
    let served = Served::folder(&[("a.yaml", &slow), ("b.yaml", &component("b", "b"))], &[]);
    let asked = ConversationRequestAlpha2 { name: "slow".to_owned(), ..request([user("one two")]) };
    let mut client = served.sidecar.client().await;
    let mut answers = client.converse_stream_alpha2(asked).await.unwrap().into_inner();
    let first = answers.message().await.unwrap().unwrap().message;
    assert!(matches!(first, Some(Message::Chunk(_))), "{first:?}");
    fs::remove_file(served.file("a.yaml")).unwrap();
    served.wait_for_log("removed slow").await;
    assert_eq!(served.count("slow").await, None);
    drop(answers);
    served.call("b").await;
    assert_eq!([served.count("slow").await, served.count("b").await], [None, Some(1)]);
}

#[tokio::test]
async fn do_not_accumulate() {
    let generation = |number: usize| {
        let names = (0..GENERATION).map(|index| format!("c{number}-{index}"));
        names.map(|name| component(&name, "m")).collect::<Vec<_>>().join("---\n")
    };
    let served = Served::folder(&[("a.yaml", &generation(0))], &["--log-level=info"]);
    let generations = if is_full_scale() { 24_000 / GENERATION } else { 5 };
    for number in 1..generations {
        served.put("a.yaml", &generation(number));
        served.wait_for_log(&format!("added c{number}-0,")).await;
    }
    let text = served.metrics().await;
    let series = text.lines().filter(|line| line.starts_with("dapr_component_conversation_count{"));
    let series = series.count();
    let result = format!("{series} metric series for {GENERATION} components");
    report_row(&["24,000 names added and removed", &result]);
    assert_eq!(series, 2 * GENERATION);
    assert_eq!(served.count(&format!("c{}-0", generations - 1)).await, Some(0));
}
