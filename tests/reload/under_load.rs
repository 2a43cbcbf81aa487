//! Tests of reloading while clients make calls continuously.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use mynah::internals::wire::{
    json,
    proto::{ConversationResponseAlpha2, conversation_stream_response_alpha2::Message},
};
use tokio::{sync::watch, task::JoinSet};

use super::{Served, component};
use crate::support::{
    http::direct_client,
    messages::{request, user},
    process::with_timeout,
};

const RELOADS: u32 = 1_000;

/// State shared by the writer and the callers.
#[derive(Clone)]
struct Progress {
    /// The number of the most recently written model.
    written: Arc<AtomicU32>,
    /// The highest model number in any answer.
    seen: watch::Sender<u32>,
    done: Arc<AtomicBool>,
}

impl Progress {
    /// Makes calls over one connection until the writer is done. Returns the number of calls.
    async fn call(self, mut model: impl AsyncFnMut() -> String) -> u32 {
        let (mut last, mut calls) = (0, 0);
        while !self.done.load(Ordering::Relaxed) {
            let answered = model().await;
            let number = answered.strip_prefix("model-").and_then(|number| number.parse().ok());
            let number: u32 = number.unwrap_or_else(|| panic!("{answered} was never written"));
            assert!(number >= last, "{answered} answered after model-{last}");
            assert!(number <= self.written.load(Ordering::SeqCst), "{answered} is not yet written");
            (last, calls) = (number, calls + 1);
            self.seen.send_if_modified(|seen| {
                let newer = number > *seen;
                *seen = number.max(*seen);
                newer
            });
        }
        calls
    }
}

fn model(answer: &ConversationResponseAlpha2) -> String {
    answer.outputs[0].model.clone().expect("a model")
}

#[tokio::test]
async fn no_call_fails_during_a_thousand_reloads() {
    let served = Served::folder(&[("a.yaml", &component("echo", "model-0"))], &[]);
    let progress =
        Progress { written: Arc::default(), seen: watch::Sender::new(0), done: Arc::default() };
    let mut callers = JoinSet::new();
    for _ in 0..2 {
        call_over_grpc(&mut callers, &served, &progress).await;
        call_over_http(&mut callers, &served, &progress);
    }
    stream_over_grpc(&mut callers, &served, &progress).await;

    let mut seen = progress.seen.subscribe();
    for number in 1..=RELOADS {
        let text = component("echo", &format!("model-{number}"));
        progress.written.store(number, Ordering::SeqCst);
        if number % 2 == 0 {
            served.put("a.yaml", &text);
        } else {
            fs::write(served.file("a.yaml"), text).unwrap();
        }
        tokio::select! {
            new = with_timeout(seen.wait_for(|seen| *seen == number)) => drop(new.unwrap()),
            ended = callers.join_next() => panic!("a caller failed: {ended:?}"),
        }
    }
    progress.done.store(true, Ordering::Relaxed);
    for calls in with_timeout(callers.join_all()).await {
        assert!(calls > RELOADS / 2, "only {calls} calls");
    }
    let reloads = format!("mynah_component_reloads_total{{result=\"ok\"}} {RELOADS}");
    assert!(served.has_metric(&reloads).await, "one reload per edit: {reloads}");
}

async fn call_over_grpc(callers: &mut JoinSet<u32>, served: &Served, progress: &Progress) {
    let mut client = served.sidecar.client().await;
    callers.spawn(progress.clone().call(async move || {
        model(client.converse_alpha2(request([user("hi")])).await.unwrap().get_ref())
    }));
}

fn call_over_http(callers: &mut JoinSet<u32>, served: &Served, progress: &Progress) {
    let client = direct_client();
    let url = served.sidecar.url("/v1.0-alpha2/conversation/echo/converse");
    let body = json::write(&request([user("hi")])).unwrap();
    callers.spawn(progress.clone().call(async move || {
        let answer = client.post(&url).body(body.clone()).send().await.unwrap();
        let answer = answer.error_for_status().unwrap().text().await.unwrap();
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        answer["outputs"][0]["model"].as_str().unwrap().to_owned()
    }));
}

async fn stream_over_grpc(callers: &mut JoinSet<u32>, served: &Served, progress: &Progress) {
    let mut client = served.sidecar.client().await;
    callers.spawn(progress.clone().call(async move || {
        let stream = client.converse_stream_alpha2(request([user("one two")])).await;
        let mut stream = stream.unwrap().into_inner();
        loop {
            match stream.message().await.unwrap().unwrap().message.unwrap() {
                Message::Chunk(_) => {}
                Message::Complete(complete) => break complete.outputs[0].model.clone().unwrap(),
            }
        }
    }));
}
