//! Small requests that take long to answer. The threads that serve connections must stay free for
//! other calls, and nothing may work on a call that is cancelled.

use std::{cell::Cell, fs, time::Duration};

use futures_util::future::{join_all, select};
use mynah::internals::wire::proto::ConversationRequestAlpha2;
use prost::Message;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::other_client::{Latencies, report_attack};
use crate::support::{
    Sidecar,
    attacks::{is_full_scale, now, report_row},
    messages::{input, prompt, request, tool, user},
    process::{wait_until, with_timeout},
};

/// Clients that send expensive requests in a loop: more than a machine for tests has cores.
const CLIENTS: usize = 8;
/// The maximum median time of short calls at full scale.
const MAX_MEDIAN: Duration = Duration::from_millis(20);
/// The size up to which a request is not already large by its bytes.
const SMALL: usize = 64 * 1024;

/// Returns a schema with properties that this function describes.
fn object(count: usize, property: impl Fn(usize) -> Value) -> Value {
    let name = |number: usize| format!("p{number}");
    let properties: serde_json::Map<_, _> =
        (0..count).map(|number| (name(number), property(number))).collect();
    let required: Vec<_> = (0..count).map(name).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// Returns a request that calls tools with this schema.
fn calls(count: usize, schema: &Value) -> ConversationRequestAlpha2 {
    let names: Vec<_> = (0..count).map(|number| format!("t{number}")).collect();
    let sentences: Vec<_> = names.iter().map(|name| format!("Call {name}.")).collect();
    let tools: Vec<_> = names.iter().map(|name| tool(name, schema.clone())).collect();
    prompt(&sentences.join(" "), tools)
}

fn pattern(number: usize) -> Value {
    json!({"type": "string", "pattern": format!("^[a-z]{{3}}{number}(\\w{{1,50}}){{1,9}}$")})
}

fn many_patterns() -> ConversationRequestAlpha2 {
    calls(4, &object(120, pattern))
}

fn long_lists() -> ConversationRequestAlpha2 {
    let list = json!({"type": "array", "minItems": 5_000, "uniqueItems": true,
        "items": {"type": "string"}});
    calls(20, &object(1, |_| list.clone()))
}

fn repeated_words() -> ConversationRequestAlpha2 {
    prompt(&"a b ".repeat(7_000), [tool(&["a_b"; 2_500].join("_"), Value::Null)])
}

fn patterns_to_validate() -> ConversationRequestAlpha2 {
    let mut request = prompt(r#"{"p1": "x"}"#, []);
    request.response_format = Some(crate::support::messages::encoded_schema(&object(150, pattern)));
    request
}

fn personal_data() -> ConversationRequestAlpha2 {
    let mut input = input([user(&"12345 ".repeat(10_000))]);
    input.scrub_pii = Some(true);
    ConversationRequestAlpha2 { inputs: vec![input], ..request([]) }
}

/// Returns the latencies of short calls while clients send `expensive` in a loop. Asserts that fewer
/// expensive calls are answered meanwhile: on a serving thread, each short call would wait for at
/// least one. At full scale, with a release build, both are too fast for that.
async fn latencies_during(sidecar: &Sidecar, expensive: &ConversationRequestAlpha2) -> Latencies {
    let short_calls = if is_full_scale() { 1_001 } else { 21 };
    assert!(expensive.encoded_len() < SMALL, "{} bytes", expensive.encoded_len());
    let answers = Cell::new(0);
    let attack = join_all((0..CLIENTS).map(async |_| {
        let mut client = sidecar.client().await;
        loop {
            let answer = client.converse_alpha2(expensive.clone()).await;
            assert!(answer.is_ok(), "{answer:?}");
            answers.set(answers.get() + 1);
        }
    }));
    let measure = async {
        super::pause().await;
        let (mut times, before) = (Vec::new(), answers.get());
        for _ in 0..short_calls {
            // A new connection for each call, so that the calls use every thread.
            let start = now();
            with_timeout(sidecar.converse(prompt("short", []))).await.unwrap();
            times.push(start.elapsed());
        }
        let answers = answers.get() - before;
        if !is_full_scale() {
            assert!(answers < short_calls, "{answers} expensive, {short_calls} short answers");
        }
        Latencies::new(times)
    };
    let (attack, measure) = (std::pin::pin!(attack), std::pin::pin!(measure));
    match select(attack, measure).await {
        futures_util::future::Either::Right((latencies, _)) => latencies,
        futures_util::future::Either::Left(_) => unreachable!("the loops do not end"),
    }
}

#[tokio::test]
async fn expensive_requests_do_not_delay_others() {
    let cases = [
        ("schemas with patterns", many_patterns()),
        ("schemas with long lists", long_lists()),
        ("repeated words", repeated_words()),
        ("schemas to validate with", patterns_to_validate()),
        ("personal data", personal_data()),
    ];
    for (name, expensive) in cases {
        let mut sidecar = Sidecar::start();
        let latencies = latencies_during(&sidecar, &expensive).await;
        let what = format!("{CLIENTS} clients that send {name}");
        report_attack(&what, super::peak(&sidecar) / 1024, &latencies);
        if is_full_scale() {
            assert!(latencies.median() < MAX_MEDIAN, "{name}: {latencies:?}");
        }
        let signalled = now();
        sidecar.signal(Signal::TERM);
        assert_eq!(sidecar.wait().await.code(), Some(0));
        let exit = format!("exits in {} ms", signalled.elapsed().as_millis());
        report_row(&[&format!("SIGTERM after {what}"), &exit]);
    }
}

/// Returns the processor time that a process has used, in clock ticks.
pub(super) fn processor_time(sidecar: &Sidecar) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", sidecar.pid())).unwrap();
    // The name of the program, in parentheses, may contain spaces.
    let (_, after_name) = stat.rsplit_once(')').unwrap();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.map(|ticks| ticks.parse::<u64>().unwrap()).sum()
}

/// Waits until the process has used half a second of processor time.
async fn wait_for_work(sidecar: &Sidecar) {
    const TICKS: u64 = 50;
    let before = processor_time(sidecar);
    let works = async || (processor_time(sidecar) > before + TICKS).then_some(());
    wait_until(works, "the process did not start to work").await;
}

/// Returns `true` if a thread of the process runs, or would run if the machine were less busy.
fn is_running(sidecar: &Sidecar) -> bool {
    let threads = fs::read_dir(format!("/proc/{}/task", sidecar.pid())).unwrap();
    let mut stats = threads.map(|thread| fs::read_to_string(thread.unwrap().path().join("stat")));
    stats.any(|stat| stat.is_ok_and(|stat| stat.rsplit_once(") ").unwrap().1.starts_with('R')))
}

/// Waits until no thread of the process runs.
async fn wait_for_rest(sidecar: &Sidecar) {
    let rests = async || {
        for _ in 0..5 {
            if is_running(sidecar) {
                return None;
            }
            super::pause().await;
        }
        Some(())
    };
    wait_until(rests, "the process did not rest").await;
}

/// Starts expensive calls and waits until the process works on them.
async fn start_calls(sidecar: &Sidecar, expensive: &ConversationRequestAlpha2) -> JoinSet<()> {
    let mut calls_in_flight = JoinSet::new();
    for _ in 0..CLIENTS {
        let (mut client, expensive) = (sidecar.client().await, expensive.clone());
        calls_in_flight.spawn(async move { drop(client.converse_alpha2(expensive).await) });
    }
    wait_for_work(sidecar).await;
    calls_in_flight
}

/// Counts processor time, which does not depend on other processes: all cancelled calls together must
/// take less than one whole call.
#[tokio::test]
async fn cancelled_requests_stop_their_work() {
    let sidecar = Sidecar::start();
    let expensive = calls(10, &object(200, pattern));
    let start = processor_time(&sidecar);
    sidecar.converse(expensive.clone()).await.unwrap();
    let whole_call = processor_time(&sidecar) - start;
    let calls = start_calls(&sidecar, &expensive).await;
    let start = processor_time(&sidecar);
    drop(calls);
    wait_for_rest(&sidecar).await;
    let cancelled = processor_time(&sidecar) - start;
    assert!(
        cancelled < whole_call,
        "{cancelled} ticks after the cancellation, {whole_call} for a call"
    );
}
