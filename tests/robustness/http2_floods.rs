//! HTTP/2 frames that cost the sender nothing.

use tokio::io::AsyncWriteExt;

use super::{
    http2::{
        CONTINUATION, Connection, DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, HEADERS, PING,
        RESET, SETTINGS, frame, header, headers, repeat,
    },
    survives,
};
use crate::support::Sidecar;

/// Frames in one write.
const BATCH: usize = 1_000;

/// Opens a connection, writes, and reads all that comes, to the end. The reason of the goodbye.
async fn flood(sidecar: &Sidecar, batch: impl Fn(u32) -> Vec<u8>, batches: u32) -> Option<u32> {
    let Connection { mut sender, mut receiver } = Connection::open(sidecar.grpc).await;
    let write = async {
        for number in 0..batches {
            repeat(&mut sender, &batch(number), 1).await?;
        }
        sender.shutdown().await
    };
    // A server that has had enough hangs up.
    let (_, reason) = tokio::join!(write, receiver.goodbye());
    reason
}

/// Calls that are cancelled as soon as they are made, on ever new streams.
fn cancelled(batch: u32) -> Vec<u8> {
    let first = batch * BATCH as u32;
    let streams = (first..first + BATCH as u32).map(|number| 2 * number + 1);
    let call = |stream| {
        let asked = frame(HEADERS, END_HEADERS, stream, &headers());
        [asked, frame(RESET, 0, stream, &8_u32.to_be_bytes())].concat()
    };
    streams.flat_map(call).collect()
}

#[tokio::test]
async fn rapid_resets_end_the_connection() {
    let sidecar = Sidecar::start();
    let reason = survives(&sidecar, flood(&sidecar, cancelled, 100)).await;
    assert!(matches!(reason, None | Some(ENHANCE_YOUR_CALM)), "{reason:?}");
}

#[tokio::test]
async fn headers_that_never_end_end_the_connection() {
    let sidecar = Sidecar::start();
    let open = frame(HEADERS, END_STREAM, 1, &headers());
    let more = frame(CONTINUATION, 0, 1, &header("x", &"y".repeat(100)).repeat(100));
    let batch = |number| if number == 0 { open.clone() } else { more.clone() };
    let reason = survives(&sidecar, flood(&sidecar, batch, 10_000)).await;
    assert!(matches!(reason, None | Some(ENHANCE_YOUR_CALM)), "{reason:?}");
}

/// To answer them costs what it cost to ask, so that they are served.
#[tokio::test]
async fn pings_and_settings_keep_nothing() {
    let sidecar = Sidecar::start();
    let flood = async |frame: Vec<u8>| flood(&sidecar, |_| frame.repeat(BATCH), 200).await;
    survives(&sidecar, flood(frame(PING, 0, 0, &[0; 8]))).await;
    survives(&sidecar, flood(frame(SETTINGS, 0, 0, &[0, 1, 0, 0, 0, 0]))).await;
}

/// Their answers have nowhere to go, and may not pile up.
#[tokio::test]
async fn pings_of_one_who_does_not_read_keep_nothing() {
    let sidecar = Sidecar::start();
    let unread = async {
        let mut connection = Connection::open(sidecar.grpc).await;
        let pings = frame(PING, 0, 0, &[0; 8]).repeat(BATCH);
        let write = repeat(&mut connection.sender, &pings, 20_000);
        // Sooner or later nothing more is taken.
        let _ = super::for_a_moment(write).await;
        assert!(super::peak(&sidecar) < 200 * 1024, "{} KiB", super::peak(&sidecar));
    };
    survives(&sidecar, unread).await;
}

#[tokio::test]
async fn empty_data_keeps_nothing() {
    let sidecar = Sidecar::start();
    let open = frame(HEADERS, END_HEADERS, 1, &headers());
    let empty = frame(DATA, 0, 1, b"").repeat(BATCH);
    let batch = |number| if number == 0 { open.clone() } else { empty.clone() };
    let reason = survives(&sidecar, flood(&sidecar, batch, 1_000)).await;
    assert!(matches!(reason, None | Some(ENHANCE_YOUR_CALM)), "{reason:?}");
    assert!(super::peak(&sidecar) < 200 * 1024, "{} KiB", super::peak(&sidecar));
}

#[tokio::test]
async fn frames_that_are_none_end_the_connection() {
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
