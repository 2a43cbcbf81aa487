//! Tests of real models, which are another mynah or a server that misbehaves, and of recordings.

mod asked;
mod choices;
mod daprd_components;
mod daprd_requests;
mod diff;
mod edits;
mod errors;
mod every_way;
mod files;
mod goldens;
#[cfg(target_os = "linux")]
mod hostile;
mod long_texts;
mod misses;
#[cfg(target_os = "linux")]
mod not_recorded;
mod parameters;
mod proxies;
mod readable;
mod repeats;
mod round_trip;
mod secrets;
mod server;
mod services;
mod sessions;
mod start;
mod tls_server;
mod upstream;

use std::{
    fs,
    path::{Path, PathBuf},
};

use rustix::process::Signal;

use crate::support::{Sidecar, scratch};

/// The key of the model.
const KEY: &str = "planted-key-123456";

/// Writes a component of type `conversation.openai` for the model `real` at a URL, and returns its folder.
fn component(endpoint: &str) -> PathBuf {
    component_with_model(endpoint, "real")
}

/// Writes a component for a model of this name.
fn component_with_model(endpoint: &str, model: &str) -> PathBuf {
    let folder = scratch("real");
    let yaml = format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: gpt}}\nspec:\n  \
         type: conversation.openai\n  version: v1\n  metadata:\n  - {{name: key, value: {KEY}}}\n  - \
         {{name: model, value: {model:?}}}\n  - {{name: endpoint, value: {endpoint:?}}}\n"
    );
    fs::write(folder.join("gpt.yaml"), yaml).unwrap();
    folder
}

/// Starts a mynah that stands where the real model stands, and follows these rules.
fn model(rules: &str) -> Sidecar {
    let folder = scratch("model");
    fs::write(folder.join("rules.yaml"), rules).unwrap();
    let yaml = "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {name: real}\nspec:\n  \
                type: conversation.scripted\n  version: v1\n  metadata:\n  - {name: rules, value: rules.yaml}\n  \
                - {name: fallback, value: error}\n  - {name: allowUnoffered, value: true}\n";
    fs::write(folder.join("real.yaml"), yaml).unwrap();
    Sidecar::start_with(&["--resources-path", folder.to_str().unwrap()])
}

/// The folder of the components for a model.
fn component_of(model: &Sidecar) -> PathBuf {
    component(&model.url("/v1"))
}

/// Starts a mynah that records.
fn recorder(components: &Path, recordings: &Path) -> Sidecar {
    recorder_with(components, recordings, &[])
}

fn recorder_with(components: &Path, recordings: &Path, flags: &[&str]) -> Sidecar {
    let folders = [
        "--resources-path",
        components.to_str().unwrap(),
        "--record",
        recordings.to_str().unwrap(),
    ];
    Sidecar::start_with(&[&folders[..], &["--upstream", "openai"], flags].concat())
}

/// Starts a mynah that replays.
fn replay(components: &Path, recordings: &Path) -> Sidecar {
    replay_with(components, recordings, &[])
}

fn replay_with(components: &Path, recordings: &Path, flags: &[&str]) -> Sidecar {
    let folders = [
        "--resources-path",
        components.to_str().unwrap(),
        "--replay",
        recordings.to_str().unwrap(),
    ];
    Sidecar::start_with(&[&folders[..], flags].concat())
}

/// Stops a mynah, which writes what is left.
pub async fn stop(mut sidecar: Sidecar) -> String {
    sidecar.signal(Signal::TERM);
    assert!(sidecar.wait().await.success(), "{}", sidecar.log());
    sidecar.log()
}

/// Returns the recording of the component.
fn recorded(recordings: &Path) -> String {
    fs::read_to_string(recordings.join("gpt.yaml")).unwrap()
}
