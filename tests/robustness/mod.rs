//! Tests of malformed, slow and excessive requests.
//!
//! Each request must get an error or a closed connection, while other clients are still served.
//! Afterwards, nothing may have panicked and memory must have been released. Resident memory may
//! stay up to [`MEMORY_SLACK`] higher, because the allocator keeps freed pages.

mod http_bodies;
mod connections;
mod descriptors;
mod expensive_requests;
mod http2_floods;
mod http2_limits;
mod interleavings;
mod grpc_frames;
mod grpc_messages;
pub mod http2;
mod large_answers;
mod long_texts;
mod memory;
mod serving_threads;
mod other_client;
mod slow_clients;
mod tool_results;
mod abandoned_streams;

use std::{fs, pin::pin, time::Duration};

use crate::support::{
    Sidecar,
    messages::{prompt, tool},
    process::{wait_until, with_timeout},
};

/// The memory that the allocator may keep, in KiB.
const MEMORY_SLACK: usize = 96 * 1024;

/// Runs an attack. Asserts that another client is served meanwhile, and that the sidecar is
/// unharmed.
async fn survives<T>(sidecar: &Sidecar, attack: impl Future<Output = T>) -> T {
    is_served(sidecar).await;
    let before = memory(sidecar);
    let mut attack = pin!(attack);
    let outcome = loop {
        is_served(sidecar).await;
        tokio::select! {
            outcome = attack.as_mut() => break outcome,
            () = pause() => {}
        }
    };
    is_served(sidecar).await;
    is_unharmed(sidecar, before).await;
    outcome
}

/// Asserts that memory is released and nothing panicked.
async fn is_unharmed(sidecar: &Sidecar, before: usize) {
    let is_released = async || (memory(sidecar) <= before + MEMORY_SLACK).then_some(());
    wait_until(is_released, &format!("the memory did not return to {before} KiB")).await;
    let log = sidecar.log();
    assert!(!log.contains("panicked"), "{log}");
}

/// Asserts that a new client is served over gRPC and HTTP.
async fn is_served(sidecar: &Sidecar) {
    let answer = with_timeout(
        sidecar.converse(prompt("call a tool", [tool("tool", serde_json::json!({}))])),
    );
    assert_eq!(answer.await.unwrap().called_tools(), ["tool"]);
    assert_eq!(with_timeout(sidecar.get("/v1.0/healthz")).await.status, 204);
}

/// Returns the sidecar's resident memory in KiB.
fn memory(sidecar: &Sidecar) -> usize {
    status(sidecar, "VmRSS:")
}

/// Returns the sidecar's peak resident memory in KiB.
pub fn peak(sidecar: &Sidecar) -> usize {
    status(sidecar, "VmHWM:")
}

fn status(sidecar: &Sidecar, name: &str) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", sidecar.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

async fn pause() {
    wait(Duration::from_millis(100)).await;
}

#[expect(clippy::disallowed_methods, reason = "waits for another process")]
async fn wait(time: Duration) {
    tokio::time::sleep(time).await;
}

/// Awaits a future for at most a second.
#[expect(clippy::disallowed_methods, reason = "waits for another process")]
async fn for_one_second<F: Future>(future: F) -> Option<F::Output> {
    tokio::time::timeout(Duration::from_secs(1), future).await.ok()
}

/// Returns the number of open files of the process.
fn open_files(sidecar: &Sidecar) -> usize {
    fs::read_dir(format!("/proc/{}/fd", sidecar.pid())).unwrap().count()
}

#[expect(clippy::disallowed_methods, reason = "leaves the processor to others")]
async fn short_pause() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}
