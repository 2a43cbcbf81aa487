//! Component files that change while they are served.

mod under_load;
mod file_changes;

use std::{fs, path::PathBuf};

use insta::assert_snapshot;
use mynah::wire::proto::{
    ConversationRequestAlpha2, GetMetadataRequest, conversation_stream_response_alpha2::Message,
};
use tonic::Code;

use crate::support::{
    Sidecar,
    messages::{request, user},
    process::{soon, until},
    scratch,
};

/// A component by that name, whose answers say that they come from that model.
fn component(name: &str, model: &str) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
         spec: {{type: conversation.echo, metadata: [{{name: model, value: {model}}}]}}\n"
    )
}

/// A sidecar and its resources: the path that it was started with, in a folder of its own.
struct Served {
    sidecar: Sidecar,
    beside: PathBuf,
    resources: PathBuf,
}

impl Served {
    /// Serves a folder of these files.
    fn folder(files: &[(&str, &str)], flags: &[&str]) -> Self {
        let beside = scratch("reload");
        fs::create_dir(beside.join("resources")).unwrap();
        for (name, text) in files {
            fs::write(beside.join("resources").join(name), text).unwrap();
        }
        Self::path(beside, "resources", flags)
    }

    fn path(beside: PathBuf, name: &str, flags: &[&str]) -> Self {
        let resources = beside.join(name);
        let path = ["--resources-path", resources.to_str().unwrap()];
        let sidecar = Sidecar::start_with(&[&path, flags].concat());
        Self { sidecar, beside, resources }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.resources.join(name)
    }

    /// Puts a file there at one stroke.
    fn put(&self, name: &str, text: &str) {
        let made = self.beside.join("made");
        fs::write(&made, text).unwrap();
        fs::rename(made, self.file(name)).unwrap();
    }

    /// The model that answers for a component; none where there is no such component.
    async fn model(&self, name: &str) -> Option<String> {
        let asked = ConversationRequestAlpha2 { name: name.to_owned(), ..request([user("hi")]) };
        match self.sidecar.converse(asked).await {
            Ok(answer) => answer.whole.outputs[0].model.clone(),
            Err(status) => {
                assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
                None
            }
        }
    }

    /// Waits until that model answers for a component; `None`, until there is none by that name.
    async fn answers(&self, name: &str, model: Option<&str>) {
        let expected = async || (self.model(name).await.as_deref() == model).then_some(());
        until(expected, &format!("{name} does not become {model:?}")).await;
    }

    /// Waits until a text was logged.
    async fn says(&self, text: &str) {
        self.says_times(1, text).await;
    }

    async fn says_times(&self, times: usize, text: &str) {
        let said = async || (self.log().matches(text).count() == times).then_some(());
        until(said, &format!("it does not say {text:?} {times} times")).await;
    }

    /// What it logged, without what differs from run to run.
    fn log(&self) -> String {
        self.sidecar.logged().replace(self.resources.to_str().unwrap(), "[resources]")
    }

    /// Whether this is a line of the metrics.
    async fn counts(&self, line: &str) -> bool {
        let url = format!("http://{}/metrics", self.sidecar.metrics.unwrap());
        let metrics = reqwest::get(url).await.unwrap().text().await.unwrap();
        metrics.lines().any(|metric| metric == line)
    }
}

#[tokio::test]
async fn an_edit_is_served() {
    let served = Served::folder(&[("a.yaml", &component("echo", "first"))], &[]);
    served.answers("echo", Some("first")).await;
    served.put("a.yaml", &component("echo", "second"));
    served.answers("echo", Some("second")).await;
    served.says("components reloaded").await;
    assert_snapshot!(served.log(), @" INFO components reloaded: changed echo");
    assert!(served.counts("mynah_component_reloads_total{result=\"ok\"} 1").await);
}

#[tokio::test]
async fn files_come_and_go() {
    let served = Served::folder(&[("a.yaml", &component("echo", "a"))], &[]);
    served.put("b.yaml", &component("b", "new"));
    served.answers("b", Some("new")).await;
    fs::remove_file(served.file("a.yaml")).unwrap();
    served.answers("echo", None).await;
    served.answers("b", Some("new")).await;
    served.says("removed").await;
    assert_snapshot!(served.log(), @"
    INFO components reloaded: added b
    INFO components reloaded: removed echo
    ");
}

/// A file that is renamed has the same components; by a name that does not count, none.
#[tokio::test]
async fn renamed_files() {
    let served = Served::folder(&[("a.yaml", &component("echo", "first"))], &[]);
    fs::rename(served.file("a.yaml"), served.file("b.yml")).unwrap();
    served.put("b.yml", &component("echo", "second"));
    served.answers("echo", Some("second")).await;
    fs::rename(served.file("b.yml"), served.file("b.yml.off")).unwrap();
    served.answers("echo", None).await;
    fs::rename(served.file("b.yml.off"), served.file("c.yaml")).unwrap();
    served.answers("echo", Some("second")).await;
}

#[tokio::test]
async fn one_file_may_change_all() {
    let three = [component("a", "1"), component("b", "1"), component("c", "1")].join("---\n");
    let served = Served::folder(&[("all.yaml", &three)], &[]);
    let other = [component("d", "2"), component("c", "2"), component("b", "1")].join("---\n");
    served.put("all.yaml", &other);
    served.answers("d", Some("2")).await;
    assert_eq!(served.model("a").await, None);
    assert_eq!(served.model("b").await.as_deref(), Some("1"));
    assert_eq!(served.model("c").await.as_deref(), Some("2"));
    served.says("components reloaded").await;
    assert_snapshot!(served.log(), @" INFO components reloaded: added d; changed c; removed a");
}

#[tokio::test]
async fn a_broken_file_keeps_what_is_served_and_says_why() {
    let good = component("echo", "first");
    let served = Served::folder(&[("a.yaml", &good), ("b.yaml", &component("b", "1"))], &[]);
    served.put("a.yaml", &good.replace("conversation.echo", "conversation.ecko"));
    served.says("go on").await;
    assert_eq!(served.model("echo").await.as_deref(), Some("first"));
    served.put("a.yaml", &good);
    served.says("as before").await;
    served.put("a.yaml", "a: [b");
    served.says_times(2, "go on").await;
    served.put("b.yaml", "kind: [");
    served.says_times(3, "go on").await;
    served.put("b.yaml", &component("b", "2"));
    served.says_times(4, "go on").await;
    assert_eq!(served.model("b").await.as_deref(), Some("1"), "all or nothing");
    served.put("a.yaml", &component("echo", "second"));
    served.answers("echo", Some("second")).await;
    assert_eq!(served.model("b").await.as_deref(), Some("2"));
    served.says(": changed").await;
    assert_snapshot!(served.log(), @r#"
    ERROR [resources]/a.yaml:4:14: spec.type "conversation.ecko" is unknown; mynah knows conversation.echo, conversation.scripted; --stand-in echo answers for any other
     WARN components not reloaded: those from before the problems go on
     INFO the problems are gone, and the components are as before
    ERROR [resources]/a.yaml:1:4: not valid YAML: unclosed bracket '['
     WARN components not reloaded: those from before the problems go on
    ERROR [resources]/a.yaml:1:4: not valid YAML: unclosed bracket '['
    ERROR [resources]/b.yaml:1:7: not valid YAML: unclosed bracket '['
     WARN components not reloaded: those from before the problems go on
    ERROR [resources]/a.yaml:1:4: not valid YAML: unclosed bracket '['
     WARN components not reloaded: those from before the problems go on
     INFO components reloaded: changed b, echo
    "#);
    assert!(served.counts("mynah_component_reloads_total{result=\"failed\"} 4").await);
}

#[tokio::test]
async fn the_same_problems_are_told_once() {
    let good = component("echo", "first");
    let served = Served::folder(&[("a.yaml", &good)], &["--log-level=debug"]);
    served.put("a.yaml", "a: [b");
    served.says("go on").await;
    served.put("b.yaml", &component("b", "1"));
    served.says("the same problems").await;
    served.put("a.yaml", &good);
    served.answers("b", Some("1")).await;
    assert_eq!(served.log().matches("[resources]/a.yaml:1:4").count(), 1, "{}", served.log());
    assert_eq!(served.log().matches("go on").count(), 1, "{}", served.log());
}

/// Nobody is asked to read what they have read.
#[tokio::test]
async fn notices_are_logged_when_they_are_new() {
    let odd = component("odd", "1").replace("[{", "[{name: key, value: x}, {");
    let served = Served::folder(&[("odd.yaml", &odd)], &[]);
    served.put("b.yaml", &component("b", "1"));
    served.answers("b", Some("1")).await;
    served.put("c.yaml", &odd.replace("odd", "odder"));
    served.answers("odder", Some("1")).await;
    served.says("added odder").await;
    assert_snapshot!(served.log(), @r#"
    WARN [resources]/odd.yaml:4:44: metadata key "key" is not read; conversation.echo has mode, model, chunkDelay, arguments, chains, piiScrubber
    INFO components reloaded: added b
    WARN [resources]/c.yaml:4:44: metadata key "key" is not read; conversation.echo has mode, model, chunkDelay, arguments, chains, piiScrubber
    INFO components reloaded: added odder
    "#);
}

#[tokio::test]
async fn a_name_that_is_taken_keeps_what_is_served() {
    let served = Served::folder(&[("a.yaml", &component("echo", "first"))], &[]);
    served.put("b.yaml", &component("echo", "second"));
    served.says("go on").await;
    assert_eq!(served.model("echo").await.as_deref(), Some("first"));
    fs::remove_file(served.file("a.yaml")).unwrap();
    served.answers("echo", Some("second")).await;
    served.says(": changed").await;
    assert_snapshot!(served.log(), @r#"
    ERROR [resources]/b.yaml:3:18: component name "echo" is taken by [resources]/a.yaml:3:18
     WARN components not reloaded: those from before the problems go on
     INFO components reloaded: changed echo
    "#);
}

/// What asks the sidecar of itself learns of it, and health is not touched.
#[tokio::test]
async fn metadata_follows_and_health_stays() {
    let served = Served::folder(&[("a.yaml", &component("echo", "first"))], &[]);
    fs::remove_file(served.file("a.yaml")).unwrap();
    served.put("b.yaml", &component("b", "1"));
    served.answers("echo", None).await;
    served.answers("b", Some("1")).await;
    let mut client = served.sidecar.client().await;
    let metadata = client.get_metadata(GetMetadataRequest {}).await.unwrap().into_inner();
    let names: Vec<_> = metadata.registered_components.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["b"]);
    let metadata = served.sidecar.get("/v1.0/metadata").await.json();
    let expected = serde_json::json!([{"name": "b", "type": "conversation.echo"}]);
    assert_eq!(metadata["components"], expected);
    for components in [None, Some("kind: [")] {
        fs::remove_file(served.file("b.yaml")).unwrap_or_default();
        if let Some(text) = components {
            served.put("b.yaml", text);
            served.says("go on").await;
        } else {
            served.answers("b", None).await;
        }
        assert_eq!(served.sidecar.get("/v1.0/healthz").await.status, 204);
    }
}

#[tokio::test]
async fn components_keep_their_counters() {
    let files = [("a.yaml", component("a", "1")), ("b.yaml", component("b", "1"))];
    let served = Served::folder(&files.each_ref().map(|(name, text)| (*name, text.as_str())), &[]);
    for _ in 0..3 {
        served.model("a").await;
    }
    let calls = |name, count| {
        format!(
            "dapr_component_conversation_count{{app_id=\"mynah\",component=\"{name}\",namespace=\"\",success=\"true\"}} {count}"
        )
    };
    assert!(served.counts(&calls("a", 3)).await);
    served.put("b.yaml", &component("b", "2"));
    served.answers("b", Some("2")).await;
    served.model("a").await;
    assert!(served.counts(&calls("a", 4)).await, "it did not change");
    served.put("a.yaml", &component("a", "2"));
    served.says("changed a").await;
    served.model("a").await;
    assert!(served.counts(&calls("a", 5)).await, "it is still the same component");
}

#[tokio::test]
async fn a_stream_in_flight_ends_as_it_began() {
    let slow = component("echo", "first").replace("[{", "[{name: chunkDelay, value: 100ms}, {");
    let served = Served::folder(&[("a.yaml", &slow)], &[]);
    let words = vec!["word"; 20].join(" ");
    let mut client = served.sidecar.client().await;
    let stream = client.converse_stream_alpha2(request([user(&words)])).await;
    let mut stream = stream.unwrap().into_inner();
    let mut next = async || soon(stream.message()).await.unwrap().unwrap().message.unwrap();
    assert!(matches!(next().await, Message::Chunk(_)));
    served.put("a.yaml", &component("echo", "second"));
    served.answers("echo", Some("second")).await;
    let mut chunks = 1;
    let complete = loop {
        match next().await {
            Message::Chunk(_) => chunks += 1,
            Message::Complete(complete) => break complete,
        }
    };
    assert_eq!(chunks, 20);
    assert_eq!(complete.outputs[0].model.as_deref(), Some("first"), "of the old component");
    assert_eq!(served.model("echo").await.as_deref(), Some("second"));
}
