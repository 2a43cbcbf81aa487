//! Tests of reloading component files while the sidecar runs.

mod under_load;
mod file_changes;
mod metrics;

use std::{fs, path::PathBuf};

use insta::assert_snapshot;
use mynah::internals::wire::proto::{
    ConversationRequestAlpha2, GetMetadataRequest, conversation_stream_response_alpha2::Message,
};
use tonic::Code;

use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{request, user},
    process::{wait_until, with_timeout},
    scratch,
};

/// Returns an echo component whose answers have this model name.
fn component(name: &str, model: &str) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
         spec: {{type: conversation.echo, metadata: [{{name: model, value: {model}}}]}}\n"
    )
}

/// A sidecar and its resources.
struct Served {
    sidecar: Sidecar,
    /// The parent folder of the resources.
    parent: PathBuf,
    /// The sidecar's `--resources-path`.
    resources: PathBuf,
}

impl Served {
    /// Serves a folder with these files.
    fn folder(files: &[(&str, &str)], flags: &[&str]) -> Self {
        let parent = scratch("reload");
        fs::create_dir(parent.join("resources")).unwrap();
        for (name, text) in files {
            fs::write(parent.join("resources").join(name), text).unwrap();
        }
        Self::path(parent, "resources", flags)
    }

    /// Serves the file or folder `name` in `parent`.
    fn path(parent: PathBuf, name: &str, flags: &[&str]) -> Self {
        let resources = parent.join(name);
        let path = ["--resources-path", resources.to_str().unwrap()];
        let sidecar = Sidecar::start_with(&[&path, flags].concat());
        Self { sidecar, parent, resources }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.resources.join(name)
    }

    /// Writes a file atomically.
    fn put(&self, name: &str, text: &str) {
        let temporary = self.parent.join("temporary");
        fs::write(&temporary, text).unwrap();
        fs::rename(temporary, self.file(name)).unwrap();
    }

    /// Returns the model name in a component's answer, or `None` if the component does not exist.
    async fn model(&self, name: &str) -> Option<String> {
        let asked = ConversationRequestAlpha2 { name: name.to_owned(), ..request([user("hi")]) };
        match self.sidecar.converse(asked).await {
            Ok(answer) => answer.response.outputs[0].model.clone(),
            Err(status) => {
                assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
                None
            }
        }
    }

    /// Waits until a component answers with `model` or, for `None`, until the component does not
    /// exist.
    async fn wait_for_model(&self, name: &str, model: Option<&str>) {
        let expected = async || (self.model(name).await.as_deref() == model).then_some(());
        wait_until(expected, &format!("{name} does not answer with {model:?}")).await;
    }

    /// Waits until the log contains a text.
    async fn wait_for_log(&self, text: &str) {
        self.wait_for_log_times(1, text).await;
    }

    /// Waits until the log contains a text `times` times.
    async fn wait_for_log_times(&self, times: usize, text: &str) {
        let logged = async || (self.log().matches(text).count() == times).then_some(());
        wait_until(logged, &format!("the log does not contain {text:?} {times} times")).await;
    }

    /// Returns the log without the path of the resources.
    fn log(&self) -> String {
        self.sidecar.log().replace(self.resources.to_str().unwrap(), "[resources]")
    }

    async fn metrics(&self) -> String {
        let url = format!("http://{}/metrics", self.sidecar.metrics.unwrap());
        direct_client().get(url).send().await.unwrap().text().await.unwrap()
    }

    /// Returns `true` if the metrics have this line.
    async fn has_metric(&self, line: &str) -> bool {
        self.metrics().await.lines().any(|metric| metric == line)
    }
}

#[tokio::test]
async fn serves_an_edited_file() {
    let served = Served::folder(&[("a.yaml", &component("echo", "first"))], &[]);
    served.wait_for_model("echo", Some("first")).await;
    served.put("a.yaml", &component("echo", "second"));
    served.wait_for_model("echo", Some("second")).await;
    served.wait_for_log("components reloaded").await;
    assert_snapshot!(served.log(), @" INFO components reloaded: changed echo");
    assert!(served.has_metric("mynah_component_reloads_total{result=\"ok\"} 1").await);
}

#[tokio::test]
async fn follows_added_and_removed_files() {
    let served = Served::folder(&[("a.yaml", &component("echo", "a"))], &[]);
    served.put("b.yaml", &component("b", "new"));
    served.wait_for_model("b", Some("new")).await;
    fs::remove_file(served.file("a.yaml")).unwrap();
    served.wait_for_model("echo", None).await;
    served.wait_for_model("b", Some("new")).await;
    served.wait_for_log("removed").await;
    assert_snapshot!(served.log(), @"
    INFO components reloaded: added b
    INFO components reloaded: removed echo
    ");
}

/// mynah serves only `.yaml` and `.yml` files.
#[tokio::test]
async fn follows_renamed_files() {
    let served = Served::folder(&[("a.yaml", &component("echo", "first"))], &[]);
    fs::rename(served.file("a.yaml"), served.file("b.yml")).unwrap();
    served.put("b.yml", &component("echo", "second"));
    served.wait_for_model("echo", Some("second")).await;
    fs::rename(served.file("b.yml"), served.file("b.yml.off")).unwrap();
    served.wait_for_model("echo", None).await;
    fs::rename(served.file("b.yml.off"), served.file("c.yaml")).unwrap();
    served.wait_for_model("echo", Some("second")).await;
}

#[tokio::test]
async fn follows_several_components_in_one_file() {
    let three = [component("a", "1"), component("b", "1"), component("c", "1")].join("---\n");
    let served = Served::folder(&[("all.yaml", &three)], &[]);
    let other = [component("d", "2"), component("c", "2"), component("b", "1")].join("---\n");
    served.put("all.yaml", &other);
    served.wait_for_model("d", Some("2")).await;
    assert_eq!(served.model("a").await, None);
    assert_eq!(served.model("b").await.as_deref(), Some("1"));
    assert_eq!(served.model("c").await.as_deref(), Some("2"));
    served.wait_for_log("components reloaded").await;
    assert_snapshot!(served.log(), @" INFO components reloaded: added d; changed c; removed a");
}

#[tokio::test]
async fn keeps_the_components_while_a_file_is_invalid() {
    let good = component("echo", "first");
    let served = Served::folder(&[("a.yaml", &good), ("b.yaml", &component("b", "1"))], &[]);
    served.put("a.yaml", &good.replace("conversation.echo", "conversation.ecko"));
    served.wait_for_log("stay in use").await;
    assert_eq!(served.model("echo").await.as_deref(), Some("first"));
    served.put("a.yaml", &good);
    served.wait_for_log("are fixed").await;
    served.put("a.yaml", "a: [b");
    served.wait_for_log_times(2, "stay in use").await;
    served.put("b.yaml", "kind: [");
    served.wait_for_log_times(3, "stay in use").await;
    served.put("b.yaml", &component("b", "2"));
    served.wait_for_log_times(4, "stay in use").await;
    assert_eq!(served.model("b").await.as_deref(), Some("1"), "all or nothing");
    served.put("a.yaml", &component("echo", "second"));
    served.wait_for_model("echo", Some("second")).await;
    assert_eq!(served.model("b").await.as_deref(), Some("2"));
    served.wait_for_log(": changed").await;
    assert_snapshot!(served.log(), @r#"
    ERROR [resources]/a.yaml:4:14: unknown spec.type "conversation.ecko"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo, --replay or --upstream
     WARN files not reloaded: the previous components and rules stay in use
     INFO the errors are fixed; the components are unchanged
    ERROR [resources]/a.yaml:1:4: not valid YAML: unclosed bracket '['
     WARN files not reloaded: the previous components and rules stay in use
    ERROR [resources]/a.yaml:1:4: not valid YAML: unclosed bracket '['
    ERROR [resources]/b.yaml:1:7: not valid YAML: unclosed bracket '['
     WARN files not reloaded: the previous components and rules stay in use
    ERROR [resources]/a.yaml:1:4: not valid YAML: unclosed bracket '['
     WARN files not reloaded: the previous components and rules stay in use
     INFO components reloaded: changed b, echo
    "#);
    assert!(served.has_metric("mynah_component_reloads_total{result=\"failed\"} 4").await);
}

#[tokio::test]
async fn logs_the_same_errors_once() {
    let good = component("echo", "first");
    let served = Served::folder(&[("a.yaml", &good)], &["--log-level=debug"]);
    served.put("a.yaml", "a: [b");
    served.wait_for_log("stay in use").await;
    served.put("b.yaml", &component("b", "1"));
    served.wait_for_log("the errors are the same").await;
    served.put("a.yaml", &good);
    served.wait_for_model("b", Some("1")).await;
    assert_eq!(served.log().matches("[resources]/a.yaml:1:4").count(), 1, "{}", served.log());
    assert_eq!(served.log().matches("stay in use").count(), 1, "{}", served.log());
}

#[tokio::test]
async fn logs_new_warnings_only() {
    let odd = component("odd", "1").replace("[{", "[{name: key, value: x}, {");
    let served = Served::folder(&[("odd.yaml", &odd)], &[]);
    served.put("b.yaml", &component("b", "1"));
    served.wait_for_model("b", Some("1")).await;
    served.put("c.yaml", &odd.replace("odd", "odder"));
    served.wait_for_model("odder", Some("1")).await;
    served.wait_for_log("added odder").await;
    assert_snapshot!(served.log(), @r#"
    WARN [resources]/odd.yaml:4:44: unknown metadata key "key" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history
    INFO components reloaded: added b
    WARN [resources]/c.yaml:4:44: unknown metadata key "key" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history
    INFO components reloaded: added odder
    "#);
}

#[tokio::test]
async fn keeps_the_components_if_a_name_is_duplicated() {
    let served = Served::folder(&[("a.yaml", &component("echo", "first"))], &[]);
    served.put("b.yaml", &component("echo", "second"));
    served.wait_for_log("stay in use").await;
    assert_eq!(served.model("echo").await.as_deref(), Some("first"));
    fs::remove_file(served.file("a.yaml")).unwrap();
    served.wait_for_model("echo", Some("second")).await;
    served.wait_for_log(": changed").await;
    assert_snapshot!(served.log(), @r#"
    ERROR [resources]/b.yaml:3:18: duplicate component name "echo"; first used at [resources]/a.yaml:3:18
     WARN files not reloaded: the previous components and rules stay in use
     INFO components reloaded: changed echo
    "#);
}

#[tokio::test]
async fn updates_metadata_and_stays_healthy() {
    let served = Served::folder(&[("a.yaml", &component("echo", "first"))], &[]);
    fs::remove_file(served.file("a.yaml")).unwrap();
    served.put("b.yaml", &component("b", "1"));
    served.wait_for_model("echo", None).await;
    served.wait_for_model("b", Some("1")).await;
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
            served.wait_for_log("stay in use").await;
        } else {
            served.wait_for_model("b", None).await;
        }
        assert_eq!(served.sidecar.get("/v1.0/healthz").await.status, 204);
    }
}

#[tokio::test]
async fn keeps_the_counters_of_components() {
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
    assert!(served.has_metric(&calls("a", 3)).await);
    served.put("b.yaml", &component("b", "2"));
    served.wait_for_model("b", Some("2")).await;
    served.model("a").await;
    assert!(served.has_metric(&calls("a", 4)).await, "component a is unchanged");
    served.put("a.yaml", &component("a", "2"));
    served.wait_for_log("changed a").await;
    served.model("a").await;
    assert!(served.has_metric(&calls("a", 5)).await, "component a keeps its counter");
}

#[tokio::test]
async fn a_stream_in_flight_keeps_its_component() {
    let slow = component("echo", "first").replace("[{", "[{name: chunkDelay, value: 100ms}, {");
    let served = Served::folder(&[("a.yaml", &slow)], &[]);
    let words = vec!["word"; 20].join(" ");
    let mut client = served.sidecar.client().await;
    let stream = client.converse_stream_alpha2(request([user(&words)])).await;
    let mut stream = stream.unwrap().into_inner();
    let mut next = async || with_timeout(stream.message()).await.unwrap().unwrap().message.unwrap();
    assert!(matches!(next().await, Message::Chunk(_)));
    served.put("a.yaml", &component("echo", "second"));
    served.wait_for_model("echo", Some("second")).await;
    let mut chunks = 1;
    let complete = loop {
        match next().await {
            Message::Chunk(_) => chunks += 1,
            Message::Complete(complete) => break complete,
        }
    };
    assert_eq!(chunks, 20);
    assert_eq!(complete.outputs[0].model.as_deref(), Some("first"), "the old component");
    assert_eq!(served.model("echo").await.as_deref(), Some("second"));
}
