//! Calls whose bodies, answers and resets are interleaved at random. However a call ends, its memory is
//! returned, the journal and the metrics have it once, and it does not delay a drain.

use std::collections::BTreeSet;

use mynah::internals::wire::proto::ConversationRequestAlpha2;
use proptest::prelude::*;
use prost::Message;
use rustix::process::Signal;
use serde_json::json;
use tokio::io::AsyncWriteExt;

use super::http2::{
    ACK, Connection, DATA, END_HEADERS, END_STREAM, HEADERS, PING, RESET, WINDOW_UPDATE, frame,
    headers_of,
};
use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{prompt, request, tool, user},
    process::wait_until,
};

/// A window that is large enough for all answers.
const WINDOW: u32 = 1 << 26;
/// HTTP/2's code for a stream that the client cancels.
const CANCEL: u32 = 8;
/// The memory of the call that asks for the metrics.
const SCRAPE: usize = 16 * 1024;

#[derive(Debug, Clone, Copy)]
enum Kind {
    Short,
    /// Is decoded on a blocking thread.
    Long,
    /// Is answered on a blocking thread.
    LongAnswer,
    /// Reaches no component.
    Unknown,
}

#[derive(Debug, Clone)]
struct Call {
    method: &'static str,
    kind: Kind,
    is_reset: bool,
}

/// A client, which sends the frames of its calls in an order that is given by their numbers. It may
/// leave frames out.
#[derive(Debug, Clone)]
struct Client {
    calls: Vec<Call>,
    order: Vec<usize>,
    reads_answers: bool,
    /// Whether it waits for the answers before it disconnects.
    waits: bool,
}

impl Kind {
    fn message(self) -> ConversationRequestAlpha2 {
        match self {
            Self::Short => request([user("hello")]),
            Self::Long => request([user(&"long ".repeat(8_000))]),
            Self::LongAnswer => {
                let text = json!({"type": "string", "minLength": 60_000});
                let schema =
                    json!({"type": "object", "properties": {"a": text}, "required": ["a"]});
                let tools = ["tool_1", "tool_2"].map(|name| tool(name, schema.clone()));
                prompt("call tool_1 and tool_2", tools)
            }
            Self::Unknown => {
                ConversationRequestAlpha2 { name: "unknown".to_owned(), ..request([user("hello")]) }
            }
        }
    }
}

impl Call {
    fn frames(&self, stream: u32) -> Vec<Vec<u8>> {
        let message = self.kind.message().encode_to_vec();
        let len = u32::try_from(message.len()).unwrap();
        let message = [&[0], &len.to_be_bytes()[..], &message].concat();
        let (start, end) = message.split_at(message.len() / 2);
        // Frames have at most 16 KiB.
        let start = start.chunks(1 << 14).map(|piece| frame(DATA, 0, stream, piece));
        let (middle, end) = end.split_at(end.len().saturating_sub(1 << 14));
        let middle = middle.chunks(1 << 14).map(|piece| frame(DATA, 0, stream, piece));
        let mut frames = vec![frame(HEADERS, END_HEADERS, stream, &headers_of(self.method))];
        frames.extend(start.chain(middle));
        frames.push(frame(DATA, END_STREAM, stream, end));
        if self.is_reset {
            frames.push(frame(RESET, 0, stream, &CANCEL.to_be_bytes()));
        }
        frames
    }
}

fn client() -> impl Strategy<Value = Client> {
    let methods = vec!["ConverseAlpha2", "ConverseStreamAlpha2"];
    let kinds = vec![Kind::Short, Kind::Long, Kind::LongAnswer, Kind::Unknown];
    let call = (prop::sample::select(methods), prop::sample::select(kinds), any::<bool>());
    let call = call.prop_map(|(method, kind, is_reset)| Call { method, kind, is_reset });
    let calls = prop::collection::vec(call, 1..8);
    let order = prop::collection::vec(0..8_usize, 1..60);
    let client = (calls, order, any::<bool>(), any::<bool>());
    client.prop_map(|(calls, order, reads_answers, waits)| {
        let order = order.into_iter().map(|number| number % calls.len()).collect();
        Client { calls, order, reads_answers, waits }
    })
}

impl Client {
    /// Makes the calls. Returns how many were complete, and how many of them were answered for sure.
    async fn run(&self, sidecar: &Sidecar) -> [usize; 2] {
        let window = if self.reads_answers { WINDOW } else { 0 };
        let settings = [&[0, 4][..], &window.to_be_bytes()].concat();
        let mut connection = Connection::open_with(sidecar.grpc, &settings).await;
        let update = frame(WINDOW_UPDATE, 0, 0, &WINDOW.to_be_bytes());
        connection.sender.write_all(&update).await.unwrap();
        // Until then, the bodies together may be larger than the server allows.
        while connection.receiver.next().await.unwrap().kind != WINDOW_UPDATE {}
        let streams = || (1_u32..).step_by(2);
        let calls = self.calls.iter().zip(streams());
        let mut frames: Vec<_> =
            calls.map(|(call, stream)| call.frames(stream).into_iter()).collect();
        // Streams must be opened in order.
        for frames in &mut frames {
            connection.sender.write_all(&frames.next().unwrap()).await.unwrap();
        }
        for number in &self.order {
            if let Some(frame) = frames[*number].next() {
                connection.sender.write_all(&frame).await.unwrap();
            }
        }
        let (mut complete, mut answered) = (0, BTreeSet::new());
        for ((call, stream), left) in self.calls.iter().zip(streams()).zip(frames) {
            let resets = usize::from(call.is_reset);
            if left.len() <= resets {
                complete += 1;
                if left.len() == resets {
                    answered.insert(stream);
                }
            }
        }
        if !self.waits {
            return [complete, 0];
        }
        let count = answered.len();
        self.wait(connection, answered).await;
        [complete, count]
    }

    /// Waits until these streams are answered: until the end, or until the headers.
    async fn wait(&self, mut connection: Connection, mut streams: BTreeSet<u32>) {
        while !streams.is_empty() {
            let received = connection.receiver.next().await.expect("an answer");
            let is_end = received.flags & END_STREAM > 0 && received.kind != PING;
            if received.kind == PING && received.flags & ACK == 0 {
                let ack = frame(PING, ACK, 0, &received.payload);
                connection.sender.write_all(&ack).await.unwrap();
            } else if is_end || (received.kind == HEADERS && !self.reads_answers) {
                streams.remove(&received.stream);
            }
        }
    }
}

/// Returns the values of all metrics of this name.
async fn metric(sidecar: &Sidecar, name: &str) -> Vec<usize> {
    let url = format!("http://{}/metrics", sidecar.metrics.unwrap());
    let text = direct_client().get(url).send().await.unwrap().text().await.unwrap();
    let lines = text.lines().filter(|line| line.starts_with(name));
    lines.map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect()
}

async fn check(clients: &[Client]) {
    let mut sidecar = Sidecar::start_with(&["--max-memory=16Mi"]);
    let [mut complete, mut answered] = [0, 0];
    for client in clients {
        let counts = client.run(&sidecar).await;
        complete += counts[0];
        answered += counts[1];
    }
    let is_free =
        async || (metric(&sidecar, "mynah_memory_bytes ").await == [SCRAPE]).then_some(());
    wait_until(is_free, "the memory was not returned").await;
    let is_recorded = async || {
        let counted: usize = metric(&sidecar, "mynah_requests_total{").await.iter().sum();
        let journal = sidecar.get("/mynah/v1/journal").await.json();
        let entries = journal["entries"].as_array().unwrap();
        let numbers: BTreeSet<_> = entries.iter().map(|it| it["number"].as_u64()).collect();
        assert_eq!(numbers.len(), entries.len(), "an entry is listed twice");
        let is_possible = (answered..=complete).contains(&counted);
        (is_possible && counted == entries.len()).then_some(())
    };
    let failure = format!("not all of {answered} to {complete} calls ended once");
    wait_until(is_recorded, &failure).await;
    sidecar.signal(Signal::TERM);
    assert!(sidecar.wait().await.success());
    assert!(!sidecar.log().contains("still open"), "{}", sidecar.log());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..Default::default() })]

    #[test]
    fn calls_end_once_and_return_their_memory(clients in prop::collection::vec(client(), 1..4)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(check(&clients));
    }
}
