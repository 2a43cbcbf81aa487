//! Tests of streams whose clients disconnect or do not read. `shutdown.rs` tests that a cancelled
//! stream stops all work.

use mynah::internals::wire::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{peak, survives};
use crate::support::{
    Sidecar,
    messages::{request, user},
};

const MIB: usize = 1024 * 1024;

/// Returns 1 MiB of short words.
fn long_text() -> String {
    "ab ".repeat(MIB / 3)
}

/// Requests an answer as server-sent events.
async fn events(sidecar: &Sidecar, text: &str) -> TcpStream {
    let body = json::write(&request([user(text)])).unwrap();
    let mut connection = TcpStream::connect(sidecar.http).await.unwrap();
    let head = format!(
        "POST /v1.0-alpha2/conversation/echo/converse HTTP/1.1\r\nHost: localhost\r\n\
         Accept: text/event-stream\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    connection.write_all(body.as_bytes()).await.unwrap();
    connection
}

#[tokio::test]
async fn releases_streams_of_disconnected_clients() {
    let sidecar = Sidecar::start();
    let text = long_text();
    let disconnect = async {
        for _ in 0..8 {
            let mut client = sidecar.client().await;
            let stream = client.converse_stream_alpha2(request([user(&text)])).await.unwrap();
            let mut stream = stream.into_inner();
            stream.message().await.unwrap();
        }
        for _ in 0..8 {
            let mut connection = events(&sidecar, &text).await;
            connection.read_exact(&mut [0; 1_000]).await.unwrap();
        }
    };
    survives(&sidecar, disconnect).await;
}

/// The events are thirty times the size of the text, so they must be generated only as the client
/// reads them.
#[tokio::test]
async fn unread_streams_do_not_accumulate() {
    let sidecar = Sidecar::start();
    let text = long_text();
    let unread = async {
        let mut http = Vec::new();
        for _ in 0..8 {
            let connection = events(&sidecar, &text).await;
            connection.readable().await.unwrap();
            http.push(connection);
        }
        let mut client = sidecar.client().await;
        let mut grpc = Vec::new();
        for _ in 0..8 {
            grpc.push(client.converse_stream_alpha2(request([user(&text)])).await.unwrap());
        }
        super::pause().await;
    };
    survives(&sidecar, unread).await;
    assert!(peak(&sidecar) < 256 * 1024, "{} KiB", peak(&sidecar));
}
