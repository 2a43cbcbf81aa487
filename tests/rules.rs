//! Tests of rules over real sockets.

mod aimock;
mod aimock_corpus;
mod answers;
mod arguments;
mod calls;
mod chains;
mod components;
mod counts;
mod errors;
mod faults;
mod fields;
mod files;
mod nested;
mod sessions;
mod strict;
mod templates;
mod unreached;

use std::{fs, path::PathBuf};

use crate::{
    chains::component,
    support::{
        Sidecar,
        messages::{request, user},
        scratch,
    },
};

/// Writes a file of rules and returns its path.
fn write_rules(text: &str) -> PathBuf {
    let file = scratch("rules").join("rules.yaml");
    fs::write(&file, text).unwrap();
    file
}

/// Starts a sidecar whose built-in component has these rules.
fn with_rules(text: &str) -> Sidecar {
    Sidecar::start_with(&["--rules", write_rules(text).to_str().unwrap()])
}

/// Returns the answer to a prompt, or the message of the error.
async fn ask(sidecar: &Sidecar, prompt: &str) -> String {
    match sidecar.converse(request([user(prompt)])).await {
        Ok(answer) => answer.content,
        Err(status) => format!("{:?}: {}", status.code(), status.message()),
    }
}
