//! Tests of the timing of scripted turns, with a paused clock.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt;
use mynah_core::{
    base::clock::Moment,
    chat::{Delta, ErrorKind},
    provider::{CallContext, Provider, stream::StreamOptions},
};

use super::{chain_message, request};
use crate::{Scripted, ScriptedSettings};

/// Streams a step's answer. Returns each piece with its time in milliseconds.
async fn streamed(step: &str, options: StreamOptions) -> Vec<(u128, String)> {
    let start = Moment::now();
    let deltas = scripted(options)
        .stream(Arc::new(request(vec![chain_message(step)])), CallContext::default())
        .map(|delta| {
            let piece = match delta {
                Ok(Delta::Reasoning(text)) => format!("({text})"),
                Ok(Delta::Text(text)) => text,
                Ok(Delta::Complete(_)) => "<complete>".to_owned(),
                Err(error) => format!("<{error}>"),
            };
            (start.age().as_millis(), piece)
        });
    deltas.collect().await
}

fn scripted(options: StreamOptions) -> Arc<Scripted> {
    Arc::new(Scripted::new(
        "s",
        ScriptedSettings { stream: options, ..ScriptedSettings::default() },
        None,
    ))
}

fn slow() -> StreamOptions {
    let [chunk_delay, time_to_first_chunk] = [10, 100].map(Duration::from_millis);
    StreamOptions {
        chunk_delay,
        time_to_first_chunk,
        chunk_size: mynah_core::chat::ChunkSize::Words(2.try_into().unwrap()),
    }
}

fn timed(expected: &[(u128, &str)]) -> Vec<(u128, String)> {
    expected.iter().map(|(time, text)| (*time, (*text).to_owned())).collect()
}

#[tokio::test(start_paused = true)]
async fn streams_at_the_pace_of_the_component() {
    let step = r#"{"messages":[{"text":"one two three four five"}]}"#;
    let expected = [(100, "one two"), (110, " three four"), (120, " five"), (120, "<complete>")];
    assert_eq!(streamed(step, slow()).await, timed(&expected));
}

#[tokio::test(start_paused = true)]
async fn step_overrides_the_pace_and_adds_a_delay() {
    let step = r#"{"messages":[{"text":"one two"},{"error":{"code":"ABORTED"}}],"delay":"1s",
        "words_per_chunk":1,"chunk_delay":"7ms"}"#;
    let expected = [(1100, "one"), (1107, " two"), (1107, "<scripted ABORTED>")];
    assert_eq!(streamed(step, slow()).await, timed(&expected));
    let empty = r#"{"delay":"1s","time_to_first_chunk":"2s"}"#;
    assert_eq!(streamed(empty, slow()).await, timed(&[(3000, "<complete>")]));
}

#[tokio::test(start_paused = true)]
async fn unary_answer_only_waits_for_the_delay() {
    let start = Moment::now();
    let step = r#"{"messages":[{"text":"one two three"}],"delay":"1s","chunk_delay":"1h"}"#;
    let answer = scripted(slow())
        .converse(Arc::new(request(vec![chain_message(step)])), CallContext::default())
        .await
        .unwrap();
    assert_eq!((answer.content.as_str(), start.age().as_millis()), ("one two three", 1000));
}

#[tokio::test(start_paused = true)]
async fn fails_at_the_deadline_of_the_call() {
    let context = || CallContext::new(None, Moment::after(Duration::from_millis(150)));
    let start = Moment::now();
    let step = r#"{"messages":[{"text":"one"}],"delay":"1h"}"#;
    let late = Arc::new(request(vec![chain_message(step)]));
    let error = scripted(slow()).converse(late.clone(), context()).await.unwrap_err();
    assert_eq!((error.kind, start.age().as_millis()), (ErrorKind::DeadlineExceeded, 150));
    let deltas: Vec<_> = scripted(slow()).stream(late, context()).collect().await;
    assert_eq!(deltas.len(), 1);

    // The deadline passes between the chunks.
    let step =
        r#"{"messages":[{"text":"one two three"}],"words_per_chunk":1,"chunk_delay":"30ms"}"#;
    let paced = Arc::new(request(vec![chain_message(step)]));
    let deltas: Vec<_> = scripted(slow()).stream(paced, context()).collect().await;
    let [Ok(_), Ok(_), Err(error)] = deltas.as_slice() else { panic!("{deltas:?}") };
    assert_eq!(error.kind, ErrorKind::DeadlineExceeded);
}
