//! Starts a program and checks which components it loads, or how it exits.

use std::fs;

use serde_json::{Value, json};

use super::{
    case::Start,
    target::{Exit, Program, Setup},
};
use crate::support;

/// Starts the program. Returns the loaded components, or the exit code and a text. If the log
/// contains the expected text, that text is returned, and otherwise the whole log.
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
        without_app_id: start.without_app_id,
        grpc_port_in_use: start.grpc_port_in_use,
        ..Setup::default()
    };
    let must_exit = expected.get("exit").is_some();
    let scratch = folder.to_str().unwrap();
    match program.start(&setup).await {
        Err(exit) => exited(&exit, expected, scratch),
        Ok(mut target) if must_exit => exited(&target.wait().await, expected, scratch),
        Ok(target) => json!({ "components": target.components().await }),
    }
}

fn exited(exit: &Exit, expected: &Value, scratch: &str) -> Value {
    let log = exit.log.replace(&format!("{scratch}/"), "").replace(scratch, "");
    let text = expected["text"].as_str().filter(|text| log.contains(text)).unwrap_or(&log);
    json!({ "exit": exit.code, "text": text })
}
