//! Streams whose clients go, or stay and do not read. That a cancelled stream stops the work is in
//! `life.rs`.

use mynah::wire::json;
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

/// A MiB in a third of a million words.
fn long() -> String {
    "ab ".repeat(MIB / 3)
}

/// A connection that has asked to hear this as events.
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
async fn clients_that_vanish_leave_nothing() {
    let sidecar = Sidecar::start();
    let text = long();
    let vanish = async {
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
    survives(&sidecar, vanish).await;
}

/// As events this is thirty times its text, which is made as the client takes it.
#[tokio::test]
async fn a_stream_that_is_not_read_does_not_pile_up() {
    let sidecar = Sidecar::start();
    let text = long();
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
