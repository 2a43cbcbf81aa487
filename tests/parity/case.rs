//! The cases, which are requests to daprd 1.18.0 with its recorded answers.
//!
//! `<4194304 a>` is a placeholder for this number of letters.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// A call or a startup with the recorded answer.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub name: String,
    #[serde(flatten)]
    pub action: Action,
    /// daprd's answer.
    #[serde(rename = "daprd")]
    pub golden: Value,
}

/// A call or a startup.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Action {
    Http(Http),
    Grpc(Grpc),
    Start { start: Start },
}

/// A call over HTTP.
#[derive(Debug, Deserialize)]
pub struct Http {
    /// The method and the path.
    pub http: String,
    /// Headers with the value `null` are not sent.
    #[serde(default)]
    pub headers: BTreeMap<String, Option<String>>,
    /// JSON, or text that is sent unchanged.
    pub body: Option<Value>,
}

/// A call over gRPC.
#[derive(Debug, Deserialize)]
pub struct Grpc {
    /// A method of Dapr's service, the path of any other method, or `ServerReflectionInfo`, which
    /// lists the services.
    pub grpc: String,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub message: Value,
}

/// A startup of the program in a new folder.
#[derive(Debug, Deserialize)]
pub struct Start {
    /// The files in the folder.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// The resources paths, relative to the folder. `components` stands for
    /// [`super::Program::components`].
    #[serde(default = "current_folder")]
    pub resources: Vec<String>,
    #[serde(default)]
    pub flags: Vec<String>,
    /// Whether to omit `--app-id`.
    #[serde(default)]
    pub without_app_id: bool,
    #[serde(default)]
    pub grpc_port_in_use: bool,
}

fn current_folder() -> Vec<String> {
    vec![".".to_owned()]
}

/// Reads the cases in a file.
pub fn read(json: &str) -> Vec<Case> {
    serde_json::from_str(json).unwrap()
}

/// Replaces a placeholder with its letters.
pub fn expand(text: &str) -> String {
    let count = text.strip_prefix('<').and_then(|text| text.strip_suffix(" a>"));
    let count = count.and_then(|count| count.parse().ok());
    count.map_or_else(|| text.to_owned(), |count| "a".repeat(count))
}

/// Replaces a long text of letters with its placeholder.
pub fn collapse(text: &str) -> String {
    let is_long = text.len() > 1_000 && text.bytes().all(|byte| byte == b'a');
    if is_long { format!("<{} a>", text.len()) } else { text.to_owned() }
}

/// Changes every string in a JSON value.
pub fn map_texts(value: &mut Value, change: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| map_texts(item, change)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| map_texts(member, change));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Removes the differences between runs and between builds.
pub fn stable(mut answer: Value) -> Value {
    // Go's protojson picks one of two kinds of space per build, so that nobody relies on its error
    // texts.
    map_texts(&mut answer, &|text| collapse(text).replace("proto:\u{a0}", "proto: "));
    for place in ["/body", "/message"] {
        let members = answer.pointer_mut(place).and_then(Value::as_object_mut);
        members.into_iter().for_each(sort_features);
    }
    answer
}

fn sort_features(members: &mut Map<String, Value>) {
    if let Some(Value::Array(features)) = members.get_mut("enabledFeatures") {
        features.sort_by_key(ToString::to_string);
    }
}
