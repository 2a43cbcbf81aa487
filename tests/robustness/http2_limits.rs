//! Tests of the limits on HTTP/2 connections, and of clients that make full use of them.

use std::{cell::Cell, time::Duration};

use futures_util::future::join_all;
use tokio::io::AsyncWriteExt;

use super::{
    http2::{ACK, Connection, END_HEADERS, HEADERS, RESET, SETTINGS, frame, headers, repeat},
    other_client::{OtherClient, report_attack},
    peak, survives, wait,
};
use crate::support::{
    Sidecar, attacks::is_full_scale, http::direct_builder, process::with_timeout,
};

/// The maximum number of concurrent calls on one connection.
const MAX_STREAMS: u32 = 1024;
const REFUSED_STREAM: [u8; 4] = [0, 0, 0, 7];
const INITIAL_WINDOW_SIZE: u8 = 4;
/// The maximum median time of another client's calls at full scale.
const MAX_MEDIAN: Duration = Duration::from_millis(50);
/// The maximum number of changes for each call of another client.
const MAX_CHANGES: usize = 20_000;

/// Opens calls that never send their message.
async fn open_calls(connection: &mut Connection, count: u32) {
    let call = |number| frame(HEADERS, END_HEADERS, 2 * number + 1, &headers());
    let calls: Vec<_> = (0..count).flat_map(call).collect();
    repeat(&mut connection.sender, &calls, 1).await.unwrap();
}

#[tokio::test]
async fn refuses_calls_over_the_limit_of_a_connection() {
    let sidecar = Sidecar::start();
    let attack = async {
        let mut connection = Connection::open(sidecar.grpc).await;
        open_calls(&mut connection, MAX_STREAMS + 1).await;
        let reset = loop {
            let frame = connection.receiver.next().await.unwrap();
            if frame.kind == RESET {
                break frame;
            }
        };
        assert_eq!((reset.stream, &*reset.payload), (2 * MAX_STREAMS + 1, &REFUSED_STREAM[..]));
    };
    survives(&sidecar, attack).await;
}

#[tokio::test]
async fn rejects_headers_over_the_limit() {
    let sidecar = Sidecar::start();
    let client = direct_builder().http2_prior_knowledge().build().unwrap();
    let url = sidecar.url("/v1.0/healthz");
    let status = async |size: usize| {
        let request = client.get(&url).header("a", "x".repeat(size));
        with_timeout(request.send()).await.ok().map(|response| response.status().as_u16())
    };
    let attack = async {
        assert_eq!(status(15 * 1024).await, Some(204));
        assert_eq!(status(17 * 1024).await, Some(431));
        assert_eq!(status(100 * 1024).await, None, "the connection is closed");
        assert_eq!(status(15 * 1024).await, Some(204));
    };
    survives(&sidecar, attack).await;
}

/// Makes the windows of many streams larger and smaller again until it is dropped. Counts the changes
/// that the server has made.
async fn swing_windows(sidecar: &Sidecar, streams: u32, changes: &Cell<usize>) {
    let set = |size: u32| {
        let setting = [&[0, INITIAL_WINDOW_SIZE], &size.to_be_bytes()[..]].concat();
        frame(SETTINGS, 0, 0, &setting)
    };
    let swings = [set(65_535), set(0)].concat().repeat(1_000);
    loop {
        let mut connection = Connection::open(sidecar.grpc).await;
        open_calls(&mut connection, streams).await;
        let Connection { mut sender, mut receiver } = connection;
        let write = async { while sender.write_all(&swings).await.is_ok() {} };
        let read = async {
            while let Some(frame) = receiver.next().await {
                changes
                    .set(changes.get() + usize::from((frame.kind, frame.flags) == (SETTINGS, ACK)));
            }
        };
        tokio::join!(write, read);
    }
}

/// Each SETTINGS frame costs time for each stream. At full scale with 1,000 streams, the median is
/// below 20 ms instead of 430 ms. At any scale, a call waits for a limited number of changes.
#[tokio::test]
async fn window_changes_do_not_hold_up_other_clients() {
    let is_full = is_full_scale();
    for streams in if is_full { &[100, 300, 1_000][..] } else { &[1_000] } {
        let sidecar = Sidecar::start();
        let changes = Cell::new(0);
        let attacks =
            join_all((0..4).map(async |_| swing_windows(&sidecar, *streams, &changes).await));
        let measure = async {
            // The other client starts when the attack is under way.
            wait(Duration::from_secs(1)).await;
            let (other, before) = (OtherClient::start(sidecar.grpc), changes.get());
            wait(Duration::from_secs(4)).await;
            (other.stop(), changes.get() - before)
        };
        let (latencies, changes) = tokio::select! {
            measured = measure => measured,
            _ = attacks => unreachable!("the attacks do not end"),
        };
        if is_full {
            assert!(latencies.median() < MAX_MEDIAN, "{streams} streams: {latencies:?}");
        }
        let changes = changes / latencies.count();
        assert!(changes < MAX_CHANGES, "{streams} streams: {changes} changes for each call");
        let what = format!("window changes over {streams} streams on each of 4 connections");
        report_attack(&what, peak(&sidecar) / 1024, &latencies);
    }
}
