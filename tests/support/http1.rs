//! A minimal HTTP/1 client that shows whether a call was lost.

use std::{
    io::{self, ErrorKind},
    net::SocketAddr,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream},
    net::TcpStream,
};

/// An open connection.
pub struct Connection(BufStream<TcpStream>);

/// A complete response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    /// Whether it is the last one of the connection.
    pub is_last: bool,
    pub body: String,
}

impl Connection {
    /// Connects; returns `None` if the server refuses connections.
    pub async fn open(address: SocketAddr) -> Option<Self> {
        match TcpStream::connect(address).await {
            Ok(stream) => Some(Self(BufStream::new(stream))),
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => None,
            Err(error) => panic!("neither connected nor refused: {error}"),
        }
    }

    /// Sends a POST request with additional headers, and reads the response to its end.
    pub async fn post(&mut self, path: &str, headers: &str, body: &str) -> io::Result<Response> {
        let head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\n{headers}");
        let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        self.0.write_all(request.as_bytes()).await?;
        self.0.flush().await?;
        self.response().await
    }

    /// Sends a request that closes the connection, and reads everything that follows.
    pub async fn exchange(&mut self, request: &str) -> io::Result<String> {
        self.0.write_all(request.as_bytes()).await?;
        self.0.flush().await?;
        let mut response = String::new();
        self.0.read_to_string(&mut response).await?;
        Ok(response)
    }

    async fn response(&mut self) -> io::Result<Response> {
        let status = self.line().await?;
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or(ErrorKind::InvalidData)?;
        let (mut length, mut is_last) = (None, false);
        loop {
            match self.line().await?.split_once(": ") {
                None => break,
                Some(("content-length", value)) => length = value.parse().ok(),
                Some(("connection", "close")) => is_last = true,
                Some(_) => {}
            }
        }
        let body = match length {
            Some(length) => self.bytes(length).await?,
            None => self.chunks().await?,
        };
        Ok(Response { status, is_last, body })
    }

    async fn chunks(&mut self) -> io::Result<String> {
        let mut body = String::new();
        loop {
            let length = usize::from_str_radix(&self.line().await?, 16);
            let length = length.map_err(|_| ErrorKind::InvalidData)?;
            body += &self.bytes(length).await?;
            self.line().await?;
            if length == 0 {
                return Ok(body);
            }
        }
    }

    async fn bytes(&mut self, length: usize) -> io::Result<String> {
        let mut bytes = vec![0; length];
        self.0.read_exact(&mut bytes).await?;
        String::from_utf8(bytes).map_err(|_| ErrorKind::InvalidData.into())
    }

    /// Reads a line; fails if the connection ends first.
    async fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.0.read_line(&mut line).await?;
        line.strip_suffix("\r\n").map(str::to_owned).ok_or(ErrorKind::UnexpectedEof.into())
    }
}
