//! Runs mixed load for `MYNAH_SOAK_SECONDS` seconds to find leaks of memory and open files. Does
//! nothing if this variable is not set.

use std::{
    fs,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use mynah::internals::wire::{json, proto::ConversationRequestAlpha2};
use mynah_needs::needs;
use serde_json::json;

use crate::support::{
    Sidecar,
    messages::{prompt, request, tool, user},
};

/// The number of concurrent callers.
const CALLERS: usize = 8;
/// The number of resource usage samples. The first third of them is the warm-up.
const SAMPLES: u32 = 30;
/// The growth in memory that is allowed between the second and the last third, in KiB.
const MAX_GROWTH: u64 = 8 * 1024;

/// An echo, and one that owns a tool and remembers few requests.
const COMPONENTS: &str = r#"
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: echo}
spec: {type: conversation.echo, version: v1}
---
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: owner}
spec:
  type: conversation.echo
  version: v1
  metadata:
  - {name: toolMemory, value: 100}
  - name: tools
    value: |
      tools:
      - {name: find_order, static: [{result: shipped}]}
"#;

/// The resource usage of a process.
#[derive(Debug, Clone, Copy)]
struct Usage {
    /// The resident memory.
    kib: u64,
    open_files: u64,
}

fn usage(sidecar: &Sidecar) -> Usage {
    let process = format!("/proc/{}", sidecar.pid());
    let status = fs::read_to_string(format!("{process}/status")).unwrap();
    let rss = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kib = rss.trim().trim_end_matches(" kB").parse().unwrap();
    let open_files = fs::read_dir(format!("{process}/fd")).unwrap().count() as u64;
    Usage { kib, open_files }
}

/// Returns the smallest usage in the samples, which excludes temporary usage by calls.
fn smallest(samples: &[Usage]) -> Usage {
    let smallest = |of: fn(&Usage) -> u64| samples.iter().map(of).min().unwrap();
    Usage { kib: smallest(|usage| usage.kib), open_files: smallest(|usage| usage.open_files) }
}

#[expect(clippy::disallowed_methods, reason = "the variable enables the test")]
#[needs("MYNAH_SOAK_SECONDS")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_and_open_files_do_not_grow() {
    let seconds = std::env::var("MYNAH_SOAK_SECONDS").expect("the duration of the test");
    let interval = Duration::from_secs(seconds.parse().unwrap()) / SAMPLES;
    let sidecar = Sidecar::with_components(COMPONENTS);
    let (calls, finished) = (AtomicU64::new(0), AtomicBool::new(false));
    let call = async |caller: usize| {
        for number in caller.. {
            if finished.load(Ordering::Relaxed) {
                break;
            }
            one_call(&sidecar, number).await;
            calls.fetch_add(1, Ordering::Relaxed);
        }
    };
    let sample = async {
        let (start, mut samples) = (Instant::now(), Vec::new());
        for _ in 0..SAMPLES {
            tokio::time::sleep(interval).await;
            let (usage, calls) = (usage(&sidecar), calls.load(Ordering::Relaxed));
            eprintln!("{:>5} s {calls:>9} calls {usage:?}", start.elapsed().as_secs());
            samples.push(usage);
        }
        finished.store(true, Ordering::Relaxed);
        samples
    };
    let callers = futures_util::future::join_all((0..CALLERS).map(call));
    let (samples, _) = tokio::join!(sample, callers);
    let third = samples.len() / 3;
    let (before, after) = (smallest(&samples[third..2 * third]), smallest(&samples[2 * third..]));
    assert!(after.kib <= before.kib + MAX_GROWTH, "{before:?}, later {after:?}");
    assert!(after.open_files <= before.open_files + CALLERS as u64, "{before:?}, later {after:?}");
    assert!(!sidecar.log().contains("panicked"), "{}", sidecar.log());
}

/// Makes one call. The mix has answers, errors, streams, large requests and abandoned streams.
async fn one_call(sidecar: &Sidecar, number: usize) {
    const PATH: &str = "/v1.0-alpha2/conversation/echo/converse";
    let text = format!("send an email to ann{number}@example.com, number {number}");
    let with_tool =
        prompt(&text, [tool("send_email", json!({"properties": {"to": {"format": "email"}}}))]);
    match number % 8 {
        0 => drop(sidecar.converse(with_tool).await.unwrap()),
        1 => drop(crate::support::stream(sidecar, with_tool).await.unwrap()),
        2 => assert_eq!(sidecar.post(PATH, json::write(&with_tool).unwrap()).await.status, 200),
        3 => assert_eq!(sidecar.post(PATH, "{").await.status, 400),
        4 => {
            let body = json::write(&request([user(&text)])).unwrap();
            assert_eq!(sidecar.post_for_events(PATH, body).await.status, 200);
        }
        5 => {
            // The client leaves the stream after the first message.
            let mut client = sidecar.client().await;
            let long = request([user(&"word ".repeat(2_000))]);
            let mut stream = client.converse_stream_alpha2(long).await.unwrap().into_inner();
            drop(stream.message().await.unwrap());
        }
        6 if number % 32 == 6 => {
            let large = request([user(&"word ".repeat(40_000))]);
            drop(sidecar.converse(large).await.unwrap());
        }
        7 => {
            // Every other request is remembered, because it also calls a tool of the caller.
            let text = format!("find order {number}{}", ["", ", send an email"][number / 8 % 2]);
            let request = prompt(&text, [tool("send_email", json!({}))]);
            let request = ConversationRequestAlpha2 { name: "owner".to_owned(), ..request };
            let expected = ["shipped", ""][number / 8 % 2];
            assert_eq!(sidecar.converse(request.clone()).await.unwrap().content, expected);
            drop(crate::support::stream(sidecar, request).await.unwrap());
        }
        _ => assert!(sidecar.converse(request([])).await.is_ok_and(|a| a.content.is_empty())),
    }
}
