//! The cases: what was sent to daprd 1.18.0, and what it answered.
//!
//! `<4194304 a>` stands for that many letters.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// One call, or one start.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub name: String,
    #[serde(flatten)]
    pub action: Action,
    /// What daprd answered.
    #[serde(rename = "daprd")]
    pub golden: Value,
}

/// What is done.
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
    /// Method and path.
    pub http: String,
    /// A header of `null` is not sent.
    #[serde(default)]
    pub headers: BTreeMap<String, Option<String>>,
    /// JSON, or a text that goes out as it is.
    pub body: Option<Value>,
}

/// A call over gRPC.
#[derive(Debug, Deserialize)]
pub struct Grpc {
    /// A method of Dapr's service, or the path of another one, or the call that asks for the
    /// names of all services.
    pub grpc: String,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub message: Value,
}

/// A start of the program with files of its own.
#[derive(Debug, Deserialize)]
pub struct Start {
    /// What lies in a new folder.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// What the program is told to load, in that folder; `components` are the usual ones.
    #[serde(default = "the_folder")]
    pub resources: Vec<String>,
    #[serde(default)]
    pub flags: Vec<String>,
    /// Whether the flag for the application's id is left out.
    #[serde(default)]
    pub anonymous: bool,
    #[serde(default)]
    pub grpc_port_is_taken: bool,
}

fn the_folder() -> Vec<String> {
    vec![".".to_owned()]
}

/// Reads the cases of a file.
pub fn read(json: &str) -> Vec<Case> {
    serde_json::from_str(json).unwrap()
}

/// Writes out the letters that a placeholder stands for.
pub fn expand(text: &str) -> String {
    let count = text.strip_prefix('<').and_then(|text| text.strip_suffix(" a>"));
    let count = count.and_then(|count| count.parse().ok());
    count.map_or_else(|| text.to_owned(), |count| "a".repeat(count))
}

/// Puts placeholders in the place of very long texts.
pub fn collapse(text: &str) -> String {
    let is_long = text.len() > 1_000 && text.bytes().all(|byte| byte == b'a');
    if is_long { format!("<{} a>", text.len()) } else { text.to_owned() }
}

/// Changes every text in a value.
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

/// An answer without what differs from run to run, or from build to build.
pub fn stable(mut answer: Value) -> Value {
    // Go's protojson puts either blank there, so that nobody relies on its texts.
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
