//! A minimal HTTP/2 reverse proxy with mynah's threads and allocator.
//!
//! The first argument is the port to listen on, the second one that of the server to pass calls on to.
//! Without a second argument, it is that server: it answers each call with the call's own message.

use std::{convert::Infallible, env, net::Ipv4Addr};

use anyhow::Context;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, uri::Authority};
use http_body_util::{BodyExt, Full};
use hyper::{
    body::Incoming,
    client::conn::http2::{self as client, SendRequest},
    server::conn::http2 as server,
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use mimalloc::MiMalloc;
use mynah_bench::serve::{Connections, serve};
use tokio::net::TcpStream;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> anyhow::Result<()> {
    match env::args().nth(2) {
        Some(port) => {
            let port: u16 = port.parse().with_context(|| format!("{port:?} is not a port"))?;
            serve(move |connections| pass_on(connections, port))
        }
        None => serve(answer),
    }
}

/// Passes all calls on over one connection.
async fn pass_on(mut connections: Connections, port: u16) -> anyhow::Result<()> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) =
        client::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let authority: Authority = format!("127.0.0.1:{port}").parse()?;
    while let Some(stream) = connections.next().await {
        let (sender, authority) = (sender.clone(), authority.clone());
        let service = service_fn(move |call| send(sender.clone(), authority.clone(), call));
        let io = TokioIo::new(stream?);
        tokio::spawn(server::Builder::new(TokioExecutor::new()).serve_connection(io, service));
    }
    Ok(())
}

async fn send(
    mut sender: SendRequest<Incoming>,
    authority: Authority,
    mut call: Request<Incoming>,
) -> anyhow::Result<Response<Incoming>> {
    let mut target = call.uri().clone().into_parts();
    target.authority = Some(authority);
    *call.uri_mut() = target.try_into()?;
    Ok(sender.send_request(call).await?)
}

/// Answers all calls.
async fn answer(mut connections: Connections) -> anyhow::Result<()> {
    while let Some(stream) = connections.next().await {
        let service = service_fn(async |call: Request<Incoming>| {
            let message: Bytes = call.into_body().collect().await?.to_bytes();
            let trailers =
                HeaderMap::from_iter([("grpc-status".parse()?, HeaderValue::from_static("0"))]);
            let body = Full::new(message)
                .with_trailers(async move { Some(Ok::<_, Infallible>(trailers)) });
            anyhow::Ok(Response::builder().header("content-type", "application/grpc").body(body)?)
        });
        let io = TokioIo::new(stream?);
        tokio::spawn(server::Builder::new(TokioExecutor::new()).serve_connection(io, service));
    }
    Ok(())
}
