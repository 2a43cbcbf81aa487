//! Mixed load for as long as `MYNAH_SOAK_SECONDS` says, to see that memory and files stay as they
//! are. Without it this test does nothing.

use std::{
    fs,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use mynah::wire::json;
use serde_json::json;

use crate::support::{
    Sidecar,
    messages::{prompt, request, tool, user},
};

/// Callers at once.
const CALLERS: usize = 8;
/// Looks at the process; the first third is for warming up.
const LOOKS: u32 = 30;
/// KiB that memory may gain between the second third and the last.
const MAX_GAIN: u64 = 8 * 1024;

/// What a process holds.
#[derive(Debug, Clone, Copy)]
struct Held {
    kib: u64,
    files: u64,
}

fn held(sidecar: &Sidecar) -> Held {
    let process = format!("/proc/{}", sidecar.pid());
    let status = fs::read_to_string(format!("{process}/status")).unwrap();
    let rss = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kib = rss.trim().trim_end_matches(" kB").parse().unwrap();
    let files = fs::read_dir(format!("{process}/fd")).unwrap().count() as u64;
    Held { kib, files }
}

/// The least of a third: what is held at rest, whatever a call takes for a moment.
fn least(looks: &[Held]) -> Held {
    let least = |of: fn(&Held) -> u64| looks.iter().map(of).min().unwrap();
    Held { kib: least(|held| held.kib), files: least(|held| held.files) }
}

#[expect(clippy::disallowed_methods, reason = "whoever wants the soak says for how long")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_and_files_stay_as_they_are() {
    let Ok(seconds) = std::env::var("MYNAH_SOAK_SECONDS") else {
        return eprintln!("no soak: MYNAH_SOAK_SECONDS is not set");
    };
    let pause = Duration::from_secs(seconds.parse().unwrap()) / LOOKS;
    let (sidecar, calls, over) = (Sidecar::start(), AtomicU64::new(0), AtomicBool::new(false));
    let call = async |caller: usize| {
        for number in caller.. {
            if over.load(Ordering::Relaxed) {
                break;
            }
            one_call(&sidecar, number).await;
            calls.fetch_add(1, Ordering::Relaxed);
        }
    };
    let look = async {
        let (start, mut looks) = (Instant::now(), Vec::new());
        for _ in 0..LOOKS {
            tokio::time::sleep(pause).await;
            let (held, calls) = (held(&sidecar), calls.load(Ordering::Relaxed));
            eprintln!("{:>5} s {calls:>9} calls {held:?}", start.elapsed().as_secs());
            looks.push(held);
        }
        over.store(true, Ordering::Relaxed);
        looks
    };
    let callers = futures_util::future::join_all((0..CALLERS).map(call));
    let (looks, _) = tokio::join!(look, callers);
    let third = looks.len() / 3;
    let (before, after) = (least(&looks[third..2 * third]), least(&looks[2 * third..]));
    assert!(after.kib <= before.kib + MAX_GAIN, "{before:?}, later {after:?}");
    assert!(after.files <= before.files + CALLERS as u64, "{before:?}, later {after:?}");
    assert!(!sidecar.log().contains("panicked"), "{}", sidecar.log());
}

/// One of what clients do, over a connection of its own: answers, errors, streams, large and left.
async fn one_call(sidecar: &Sidecar, number: usize) {
    const PATH: &str = "/v1.0-alpha2/conversation/echo/converse";
    let text = format!("send an email to ann{number}@example.com, number {number}");
    let asked =
        prompt(&text, [tool("send_email", json!({"properties": {"to": {"format": "email"}}}))]);
    match number % 8 {
        0 => drop(sidecar.converse(asked).await.unwrap()),
        1 => drop(crate::support::stream(sidecar, asked).await.unwrap()),
        2 => assert_eq!(sidecar.post(PATH, json::write(&asked).unwrap()).await.status, 200),
        3 => assert_eq!(sidecar.post(PATH, "{").await.status, 400),
        4 => {
            let body = json::write(&request([user(&text)])).unwrap();
            assert_eq!(sidecar.post_for_events(PATH, body).await.status, 200);
        }
        5 => {
            // A client that leaves in the middle.
            let mut client = sidecar.client().await;
            let long = request([user(&"word ".repeat(2_000))]);
            let mut stream = client.converse_stream_alpha2(long).await.unwrap().into_inner();
            drop(stream.message().await.unwrap());
        }
        6 if number % 32 == 6 => {
            let large = request([user(&"word ".repeat(40_000))]);
            drop(sidecar.converse(large).await.unwrap());
        }
        _ => assert!(sidecar.converse(request([])).await.is_ok_and(|a| a.content.is_empty())),
    }
}
