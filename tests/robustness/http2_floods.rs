//! Tests of floods of HTTP/2 frames that are cheap to send.

use tokio::io::AsyncWriteExt;

use super::{
    http2::{
        CONTINUATION, Connection, DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, HEADERS, PING,
        RESET, SETTINGS, frame, header, headers, repeat,
    },
    survives,
};
use crate::support::Sidecar;

/// The number of frames per write.
const BATCH: usize = 1_000;

/// Writes batches of frames and reads to the end at the same time. Returns the error code in the
/// GOAWAY frame.
async fn flood(sidecar: &Sidecar, batch: impl Fn(u32) -> Vec<u8>, batches: u32) -> Option<u32> {
    let Connection { mut sender, mut receiver } = Connection::open(sidecar.grpc).await;
    let write = async {
        for number in 0..batches {
            repeat(&mut sender, &batch(number), 1).await?;
        }
        sender.shutdown().await
    };
    // The server may close the connection.
    let (_, reason) = tokio::join!(write, receiver.goaway());
    reason
}

/// Returns a batch of calls on new streams, each of which is reset immediately.
fn cancelled(batch: u32) -> Vec<u8> {
    let first = batch * BATCH as u32;
    let streams = (first..first + BATCH as u32).map(|number| 2 * number + 1);
    let call = |stream| {
        let open = frame(HEADERS, END_HEADERS, stream, &headers());
        [open, frame(RESET, 0, stream, &8_u32.to_be_bytes())].concat()
    };
    streams.flat_map(call).collect()
}

#[tokio::test]
async fn closes_the_connection_after_rapid_resets() {
    let sidecar = Sidecar::start();
    let reason = survives(&sidecar, flood(&sidecar, cancelled, 100)).await;
    assert_eq!(reason, Some(ENHANCE_YOUR_CALM));
}

#[tokio::test]
async fn closes_the_connection_after_endless_headers() {
    let sidecar = Sidecar::start();
    let open = frame(HEADERS, END_STREAM, 1, &headers());
    let more = frame(CONTINUATION, 0, 1, &header("x", &"y".repeat(100)).repeat(100));
    let batch = |number| if number == 0 { open.clone() } else { more.clone() };
    let reason = survives(&sidecar, flood(&sidecar, batch, 10_000)).await;
    assert_eq!(reason, Some(ENHANCE_YOUR_CALM));
}

/// Answering these frames is as cheap as sending them, so the server answers.
#[tokio::test]
async fn answers_pings_and_settings_in_constant_memory() {
    let sidecar = Sidecar::start();
    let flood = async |frame: Vec<u8>| flood(&sidecar, |_| frame.repeat(BATCH), 200).await;
    survives(&sidecar, flood(frame(PING, 0, 0, &[0; 8]))).await;
    survives(&sidecar, flood(frame(SETTINGS, 0, 0, &[0, 1, 0, 0, 0, 0]))).await;
}

/// The client does not read the answers, and they must not accumulate in the server.
#[tokio::test]
async fn unread_ping_answers_do_not_accumulate() {
    let sidecar = Sidecar::start();
    let unread = async {
        let mut connection = Connection::open(sidecar.grpc).await;
        let pings = frame(PING, 0, 0, &[0; 8]).repeat(BATCH);
        let write = repeat(&mut connection.sender, &pings, 20_000);
        // Blocks when the server stops reading.
        let _ = super::for_one_second(write).await;
        assert!(super::peak(&sidecar) < 200 * 1024, "{} KiB", super::peak(&sidecar));
    };
    survives(&sidecar, unread).await;
}

#[tokio::test]
async fn empty_data_frames_do_not_accumulate() {
    let sidecar = Sidecar::start();
    let open = frame(HEADERS, END_HEADERS, 1, &headers());
    let empty = frame(DATA, 0, 1, b"").repeat(BATCH);
    let batch = |number| if number == 0 { open.clone() } else { empty.clone() };
    let reason = survives(&sidecar, flood(&sidecar, batch, 1_000)).await;
    assert_eq!(reason, Some(ENHANCE_YOUR_CALM));
    assert!(super::peak(&sidecar) < 200 * 1024, "{} KiB", super::peak(&sidecar));
}

#[tokio::test]
async fn closes_the_connection_after_invalid_frames() {
    let sidecar = Sidecar::start();
    let bad = [
        frame(DATA, 0, 0, b"x"),
        frame(HEADERS, END_HEADERS, 2, &headers()),
        frame(HEADERS, END_HEADERS, 1, &[0xff; 100]),
        frame(PING, 0, 0, b"short"),
        frame(SETTINGS, 0, 1, b""),
        frame(CONTINUATION, END_HEADERS, 1, b""),
        vec![0xff; 1_000],
    ];
    for bytes in bad {
        let reason = survives(&sidecar, flood(&sidecar, |_| bytes.clone(), 1)).await;
        assert!(reason.is_some_and(|reason| reason != 0), "{bytes:?}: {reason:?}");
    }
}
