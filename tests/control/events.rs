//! A reader follows the journal: calls appear as they end, and nothing is lost without a word.

use serde_json::{Value, json};

use super::send;
use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{request, user},
    process::with_timeout,
};

const EVENTS: &str = "/mynah/v1/journal/events";

/// A client that follows the journal.
struct Reader {
    response: reqwest::Response,
    unread: String,
}

impl Reader {
    async fn open(sidecar: &Sidecar, query: &str) -> Self {
        let request = direct_client().get(sidecar.url(&format!("{EVENTS}{query}")));
        Self::send(request).await
    }

    async fn continued(sidecar: &Sidecar, last: &str) -> Self {
        let request = direct_client().get(sidecar.url(EVENTS)).header("last-event-id", last);
        Self::send(request).await
    }

    async fn send(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, unread: String::new() }
    }

    /// Waits for the next event. Returns its lines, or `None` at the end.
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some((event, rest)) = self.unread.split_once("\n\n") {
                let event = event.to_owned();
                self.unread = rest.to_owned();
                return Some(event);
            }
            let chunk = with_timeout(self.response.chunk()).await.unwrap()?;
            self.unread.push_str(str::from_utf8(&chunk).unwrap());
        }
    }

    /// Waits for the next entry. Returns its number and its last user message.
    async fn entry(&mut self) -> (u64, String) {
        let event = self.next().await.unwrap();
        let lines: Vec<_> = event.lines().collect();
        let [name, id, data] = lines[..] else { panic!("{event}") };
        assert_eq!(name, "event: entry");
        let entry: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(id, format!("id: {}", entry["number"]));
        let text = entry["response"]["text"].as_str().unwrap_or_default();
        (entry["number"].as_u64().unwrap(), text.to_owned())
    }
}

async fn say(sidecar: &Sidecar, text: &str) {
    sidecar.converse(request([user(text)])).await.unwrap();
}

async fn say_in(sidecar: &Sidecar, session: &str, text: &str) {
    let mut call = request([user(text)]);
    call.metadata.insert("mynah-session".to_owned(), session.to_owned());
    sidecar.converse(call).await.unwrap();
}

#[tokio::test]
async fn shows_calls_as_they_end() {
    let sidecar = Sidecar::start();
    say(&sidecar, "one").await;
    let mut reader = Reader::open(&sidecar, "").await;
    assert_eq!(reader.entry().await, (1, "one".to_owned()));
    say(&sidecar, "two").await;
    assert_eq!(reader.entry().await, (2, "two".to_owned()));
    let listed = sidecar.get("/mynah/v1/journal?since=1").await.json()["entries"][0].clone();
    let mut again = Reader::open(&sidecar, "?since=1").await;
    let event = again.next().await.unwrap();
    assert!(event.ends_with(&format!("data: {listed}")), "{event}");
}

#[tokio::test]
async fn continues_after_the_last_event() {
    let sidecar = Sidecar::start();
    for text in ["one", "two", "three"] {
        say(&sidecar, text).await;
    }
    let mut reader = Reader::continued(&sidecar, "2").await;
    assert_eq!(reader.entry().await, (3, "three".to_owned()));
}

#[tokio::test]
async fn selects_like_the_journal() {
    let sidecar = Sidecar::start();
    for (session, text) in [("a", "one"), ("b", "two"), ("a", "three")] {
        say_in(&sidecar, session, text).await;
    }
    let mut reader = Reader::open(&sidecar, "?session=a").await;
    assert_eq!(reader.entry().await, (1, "one".to_owned()));
    assert_eq!(reader.entry().await, (3, "three".to_owned()));
    let mut reader = Reader::open(&sidecar, "?component=echo&outcome=ok&since=2").await;
    assert_eq!(reader.entry().await.0, 3);
}

#[tokio::test]
async fn says_how_many_calls_were_dropped() {
    let sidecar = Sidecar::start_with(&["--journal-size", "4Ki"]);
    for _ in 0..20 {
        say(&sidecar, &"word ".repeat(100)).await;
    }
    let kept = sidecar.get("/mynah/v1/journal").await.json();
    let oldest = kept["entries"][0]["number"].as_u64().unwrap();
    let mut reader = Reader::open(&sidecar, "?since=2").await;
    let dropped = json!({"dropped": oldest - 3});
    assert_eq!(reader.next().await.unwrap(), format!("event: dropped\ndata: {dropped}"));
    assert_eq!(reader.entry().await.0, oldest);
    // What a test removes is not lost.
    assert_eq!(send(&sidecar, "DELETE", "/mynah/v1/journal").await.0, 200);
    say(&sidecar, "after").await;
    while reader.entry().await.1 != "after" {}
}

#[tokio::test]
async fn says_how_many_faults_are_set() {
    let sidecar = Sidecar::start();
    let mut reader = Reader::open(&sidecar, "").await;
    let set = |faults: &'static str| {
        sidecar.send(direct_client().put(sidecar.url("/mynah/v1/faults")).body(faults))
    };
    let changed = |count: usize| Some(format!("event: faults\ndata: {{\"set\":{count}}}"));
    set(r#"{"session":"a","faults":[{"fail_first":1,"delay":"1ms"},{"delay":"1ms"}]}"#).await;
    assert_eq!(reader.next().await, changed(2));
    set(r#"{"component":"echo","fail_first":1,"delay":"1ms"}"#).await;
    assert_eq!(reader.next().await, changed(3));
    say_in(&sidecar, "a", "one").await;
    let events = [reader.next().await, reader.next().await];
    assert!(events.contains(&changed(2)), "{events:?}");
    assert_eq!(Reader::open(&sidecar, "?session=a&since=1").await.next().await, changed(1));
    assert_eq!(send(&sidecar, "DELETE", "/mynah/v1/faults").await.0, 204);
    assert_eq!(reader.next().await, changed(0));
}

/// A process that has been restarted numbers its calls from 1.
#[tokio::test]
async fn says_that_numbers_start_again() {
    let sidecar = Sidecar::start();
    say(&sidecar, "one").await;
    let mut reader = Reader::continued(&sidecar, "100").await;
    assert_eq!(reader.next().await.unwrap(), "event: restarted\ndata: {}");
    assert_eq!(reader.entry().await, (1, "one".to_owned()));
}

#[tokio::test]
async fn ends_when_mynah_stops() {
    let sidecar = Sidecar::start();
    let mut reader = Reader::open(&sidecar, "").await;
    say(&sidecar, "last").await;
    sidecar.post("/v1.0/shutdown", "").await;
    assert_eq!(reader.entry().await.1, "last");
    assert_eq!(reader.next().await, None);
}

/// Entries stay in the journal until the reader takes them, so that it holds up no call.
#[tokio::test]
async fn a_slow_reader_delays_no_call() {
    let sidecar = Sidecar::start_with(&["--journal-size", "4Mi"]);
    let mut reader = Reader::open(&sidecar, "").await;
    let text = "word ".repeat(20_000);
    for _ in 0..200 {
        say(&sidecar, &text).await;
    }
    let mut dropped = 0;
    loop {
        let event = reader.next().await.unwrap();
        if let Some(data) = event.strip_prefix("event: dropped\ndata: ") {
            let data: Value = serde_json::from_str(data).unwrap();
            dropped += data["dropped"].as_u64().unwrap();
        }
        if event.contains("id: 200\n") {
            break;
        }
    }
    assert!(dropped > 0);
}

#[tokio::test]
async fn rejects_what_it_cannot_follow() {
    let sidecar = Sidecar::start();
    let reply = sidecar.get(&format!("{EVENTS}?limit=1")).await;
    assert_eq!((reply.status, reply.body.contains("unknown query parameter")), (400, true));
    let request = direct_client().get(sidecar.url(EVENTS)).header("last-event-id", "x");
    let reply = sidecar.send(request).await;
    let expected = "invalid Last-Event-ID \\\"x\\\"; expected a number, such as 1";
    assert_eq!((reply.status, reply.body.contains(expected)), (400, true), "{}", reply.body);
    let off = Sidecar::start_with(&["--journal-size", "0"]);
    assert_eq!(off.get(EVENTS).await.status, 503);
}
