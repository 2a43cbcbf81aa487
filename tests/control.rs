//! The control API: what a test can ask a sidecar.

mod commands;
mod events;
mod explain;
mod explain_echo;
mod file;
mod journal;
mod normalized;
mod openapi;
mod report;
mod secret_forms;
mod secrets;
mod session_addresses;
mod session_rules;
mod sessions;
mod traces;
mod verdict;
mod verify;
mod waiting;
mod work;

use serde_json::Value;

use crate::support::{Sidecar, http::direct_client};

const JOURNAL: &str = "/mynah/v1/journal";

/// Returns the entries of the journal that `query` selects.
async fn entries(sidecar: &Sidecar, query: &str) -> Vec<Value> {
    let reply = sidecar.get(&format!("{JOURNAL}?{query}")).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()["entries"].as_array().unwrap().clone()
}

/// Sends a request without a body.
async fn send(sidecar: &Sidecar, method: &str, path: &str) -> (u16, String) {
    let method = method.parse().unwrap();
    let reply = sidecar.send(direct_client().request(method, sidecar.url(path))).await;
    (reply.status, reply.body)
}
