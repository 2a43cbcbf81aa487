//! A minimal HTTP/2 client that sends individual frames, including invalid ones.

use std::{io, net::SocketAddr};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
};

use crate::support::process::with_timeout;

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RESET: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const ACK: u8 = 1;
pub const END_STREAM: u8 = 1;
pub const END_HEADERS: u8 = 4;

/// The error code in a GOAWAY frame for excessive load.
pub const ENHANCE_YOUR_CALM: u32 = 11;

pub struct Connection {
    pub sender: OwnedWriteHalf,
    pub receiver: Receiver,
}

pub struct Receiver(BufReader<OwnedReadHalf>);

pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

impl Connection {
    /// Connects with the default settings.
    pub async fn open(address: SocketAddr) -> Self {
        Self::open_with(address, b"").await
    }

    /// Connects, sends the preface with these settings and reads the server's settings.
    pub async fn open_with(address: SocketAddr, settings: &[u8]) -> Self {
        let (receiver, mut sender) =
            with_timeout(TcpStream::connect(address)).await.unwrap().into_split();
        let preface =
            [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &frame(SETTINGS, 0, 0, settings)[..]].concat();
        sender.write_all(&preface).await.unwrap();
        let mut receiver = Receiver(BufReader::new(receiver));
        assert_eq!(receiver.next().await.unwrap().kind, SETTINGS);
        Self { sender, receiver }
    }
}

impl Receiver {
    /// Reads the next frame. Returns `None` at the end.
    pub async fn next(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        with_timeout(self.0.read_exact(&mut head)).await.ok()?;
        let len = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; len as usize];
        with_timeout(self.0.read_exact(&mut payload)).await.ok()?;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        Some(Frame { kind: head[3], flags: head[4], stream, payload })
    }

    /// Reads to the end. Returns the error code in the GOAWAY frame, if there was one.
    pub async fn goaway(&mut self) -> Option<u32> {
        let mut reason = None;
        while let Some(frame) = self.next().await {
            if frame.kind == GOAWAY {
                reason = frame.payload[4..8].try_into().ok().map(u32::from_be_bytes);
            }
        }
        reason
    }
}

/// Writes the same bytes repeatedly. Fails if the server closes the connection.
pub async fn repeat(sender: &mut OwnedWriteHalf, bytes: &[u8], times: usize) -> io::Result<()> {
    for _ in 0..times {
        with_timeout(sender.write_all(bytes)).await?;
    }
    Ok(())
}

pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&len[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Returns the encoded headers of a `ConverseStreamAlpha2` call.
pub fn headers() -> Vec<u8> {
    headers_of("ConverseStreamAlpha2")
}

/// Returns the encoded headers of a call of Dapr's API.
pub fn headers_of(method: &str) -> Vec<u8> {
    headers_for(&format!("/dapr.proto.runtime.v1.Dapr/{method}"))
}

/// Returns the encoded headers of a gRPC call.
pub fn headers_for(path: &str) -> Vec<u8> {
    let headers = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "localhost"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    headers.into_iter().flat_map(|(name, value)| header(name, value)).collect()
}

/// Encodes a literal header without indexing. The name and the value must be shorter than 127
/// bytes.
pub fn header(name: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    [vec![0], text(name), text(value)].concat()
}
