//! Small requests whose answers are as large as possible.

use std::net::SocketAddr;

use futures_util::future::join_all;
use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde_json::json;

use super::{
    http2::{Connection, END_STREAM, HEADERS, PING, headers_of},
    memory::{Scale, acknowledge, call_without_window},
};
use crate::support::messages::{prompt, tool};

/// A prompt of a few kilobytes that calls tools with arguments of 2 MB.
fn large_arguments() -> ConversationRequestAlpha2 {
    let names: Vec<_> = (0..32).map(|number| format!("tool_{number}")).collect();
    let text = json!({"type": "string", "minLength": 60_000});
    let tools = names.iter().map(|name| {
        tool(name, json!({"type": "object", "properties": {"a": text}, "required": ["a"]}))
    });
    prompt(&format!("call {}", names.join(", ")), tools.collect::<Vec<_>>())
}

/// Makes unary calls with a window of zero bytes. Returns the connection, and the number of calls that
/// were answered, when each was answered or refused.
async fn large_arguments_without_window(address: SocketAddr, calls: usize) -> (Connection, usize) {
    let (headers, message) = (headers_of("ConverseAlpha2"), large_arguments());
    let mut connection = call_without_window(address, calls, &headers, &message).await;
    let (mut open, mut answered) = (calls, 0);
    while open > 0
        && let Some(frame) = connection.receiver.next().await
    {
        match frame.kind {
            PING => acknowledge(&mut connection.sender, &frame).await,
            HEADERS => {
                open -= 1;
                answered += usize::from(frame.flags & END_STREAM == 0);
            }
            _ => {}
        }
    }
    assert_eq!(open, 0, "neither answered nor refused");
    (connection, answered)
}

#[tokio::test]
async fn large_answers_to_small_requests() {
    let scale = Scale::read();
    let sidecar = scale.start();
    // Their answers are small compared with those of other attacks. A debug build takes so long for more of them
    // that a busy machine closes the connection, whose first answer nobody takes.
    let times = if scale.is_full { 2 } else { 1 };
    let streams = times * scale.streams_per_connection;
    let attack = async {
        let connections =
            (0..scale.connections).map(|_| large_arguments_without_window(sidecar.grpc, streams));
        let connections = join_all(connections).await;
        assert!(connections.iter().any(|(_, answered)| *answered > 0), "all calls were refused");
    };
    let what = "calls of 9 kB that are answered with 2 MB, with a window of zero";
    scale.run(&sidecar, what, attack).await;
}
