//! What those who mean no good get: a clear answer or a closed door, while others are served, and
//! afterwards the process is as it was.
//!
//! "As it was" is resident memory, within [`SLACK`]: freed memory goes back to the system by pages,
//! and the allocator keeps some for the next call.

mod http_bodies;
mod connections;
mod expensive_requests;
mod http2_floods;
mod grpc_frames;
mod grpc_messages;
mod http2;
mod slow_clients;
mod abandoned_streams;

use std::{fs, pin::pin, time::Duration};

use crate::support::{
    Sidecar,
    messages::{prompt, tool},
    process::with_timeout,
};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);
/// Looks at memory before it counts as kept: twenty seconds of them.
const LOOKS: usize = 200;
/// KiB that may stay with the allocator.
const SLACK: usize = 96 * 1024;

/// Does harm to a sidecar while somebody else is served, and sees that no harm was done.
async fn survives<T>(sidecar: &Sidecar, harm: impl Future<Output = T>) -> T {
    is_served(sidecar).await;
    let before = memory(sidecar);
    let mut harm = pin!(harm);
    let outcome = loop {
        is_served(sidecar).await;
        tokio::select! {
            outcome = harm.as_mut() => break outcome,
            () = pause() => {}
        }
    };
    is_served(sidecar).await;
    is_unharmed(sidecar, before).await;
    outcome
}

/// Memory comes back, and nothing panicked.
async fn is_unharmed(sidecar: &Sidecar, before: usize) {
    let mut now = memory(sidecar);
    for _ in 0..LOOKS {
        if now <= before + SLACK {
            break;
        }
        pause().await;
        now = memory(sidecar);
    }
    assert!(now <= before + SLACK, "{before} KiB before, {now} KiB after");
    let log = sidecar.log();
    assert!(!log.contains("panicked"), "{log}");
}

/// A caller with a connection of his own on each surface.
async fn is_served(sidecar: &Sidecar) {
    let answer = with_timeout(
        sidecar.converse(prompt("call a tool", [tool("tool", serde_json::json!({}))])),
    );
    assert_eq!(answer.await.unwrap().called_tools(), ["tool"]);
    assert_eq!(with_timeout(sidecar.get("/v1.0/healthz")).await.status, 204);
}

/// KiB of memory that the process holds.
fn memory(sidecar: &Sidecar) -> usize {
    status(sidecar, "VmRSS:")
}

/// The most KiB of memory that it ever held.
fn peak(sidecar: &Sidecar) -> usize {
    status(sidecar, "VmHWM:")
}

fn status(sidecar: &Sidecar, name: &str) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", sidecar.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[expect(clippy::disallowed_methods, reason = "another process goes by the clock on the wall")]
async fn pause() {
    tokio::time::sleep(PAUSE).await;
}

/// What comes within a second; the rest is left undone.
#[expect(clippy::disallowed_methods, reason = "another process goes by the clock on the wall")]
async fn for_a_moment<F: Future>(future: F) -> Option<F::Output> {
    tokio::time::timeout(Duration::from_secs(1), future).await.ok()
}
