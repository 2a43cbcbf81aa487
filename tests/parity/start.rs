//! Starts: what the program loads from a folder, or how it ends.

use std::fs;

use serde_json::{Value, json};

use super::{
    case::Start,
    target::{Ended, Program, Setup},
};
use crate::support;

/// Starts the program; the answer is what it loaded, or its exit code and the expected text, if
/// it is among what was printed.
pub async fn start(program: &Program, start: &Start, expected: &Value) -> Value {
    let folder = support::scratch("start");
    for (name, text) in &start.files {
        fs::write(folder.join(name), text).unwrap();
    }
    let resource = |name: &String| match name.as_str() {
        "components" => program.components(),
        name => folder.join(name),
    };
    let setup = Setup {
        resources: start.resources.iter().map(resource).collect(),
        flags: start.flags.clone(),
        token: None,
        anonymous: start.anonymous,
        grpc_port_is_taken: start.grpc_port_is_taken,
    };
    let must_end = expected.get("exit").is_some();
    let scratch = folder.to_str().unwrap();
    match program.start(&setup).await {
        Err(ended) => end(&ended, expected, scratch),
        Ok(mut target) if must_end => match target.ends() {
            Some(ended) => end(&ended, expected, scratch),
            None => json!({ "components": target.components().await }),
        },
        Ok(target) => json!({ "components": target.components().await }),
    }
}

fn end(ended: &Ended, expected: &Value, scratch: &str) -> Value {
    let log = ended.log.replace(&format!("{scratch}/"), "").replace(scratch, "");
    let text = expected["text"].as_str().filter(|text| log.contains(text)).unwrap_or(&log);
    json!({ "exit": ended.code, "text": text })
}
