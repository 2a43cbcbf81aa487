//! A stub of daprd, and a client that sends single frames.

use std::{
    convert::Infallible,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture, stream};
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    body::{Frame, Incoming},
    client::conn::http2::{SendRequest, handshake},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::{JoinHandle, JoinSet},
};

use crate::support::{ports::ReservedPort, process::with_timeout};

pub type Body = UnsyncBoxBody<Bytes, Infallible>;
type Handler = Arc<dyn Fn(Request<Incoming>) -> BoxFuture<'static, Response<Body>> + Send + Sync>;

/// A server for HTTP/1.1 and HTTP/2.
pub struct Stub {
    pub address: SocketAddr,
    handler: Handler,
    task: JoinHandle<()>,
    _port: ReservedPort,
}

impl Stub {
    /// Starts a server on a reserved port.
    pub async fn start<F, R>(handler: F) -> Self
    where
        F: Fn(Request<Incoming>) -> R + Send + Sync + 'static,
        R: Future<Output = Response<Body>> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |request| handler(request).boxed());
        // Nobody else may take the port while the server is killed.
        let port = ReservedPort::new();
        let address = (Ipv4Addr::LOCALHOST, port.number).into();
        let listener = TcpListener::bind(address).await.unwrap();
        let task = tokio::spawn(accept(listener, handler.clone()));
        Self { address, handler, task, _port: port }
    }

    /// Starts a server that answers each request with the request itself.
    pub async fn echo() -> Self {
        Self::start(async |request: Request<Incoming>| echo(request)).await
    }

    /// Closes the port and all connections.
    pub async fn kill(&mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    /// Listens on the same port again.
    pub async fn restart(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.task = tokio::spawn(accept(listener, self.handler.clone()));
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, handler: Handler) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let handler = handler.clone();
        let service = service_fn(move |request| handler(request).map(Ok::<_, Infallible>));
        connections.spawn(async move {
            let builder = Builder::new(TokioExecutor::new());
            let io = TokioIo::new(stream);
            let _ = builder.serve_connection_with_upgrades(io, service).await;
        });
    }
}

/// Returns the body and the headers of a request, with trailers for gRPC clients.
fn echo(request: Request<Incoming>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let trailers = headers(&[("grpc-status", "0"), ("x-end-bin", "AAEC")]);
    let data = stream::unfold(Some(body), async move |body| {
        let mut body = body?;
        match body.frame().await {
            Some(Ok(frame)) if frame.is_data() => Some((frame, Some(body))),
            _ => None,
        }
    });
    let end = stream::iter([Frame::trailers(trailers)]);
    let frames = futures_util::StreamExt::chain(data, end);
    let frames = futures_util::StreamExt::map(frames, Ok);
    let mut response = Response::new(StreamBody::new(frames).boxed_unsync());
    *response.headers_mut() = head.headers;
    response.headers_mut().remove("content-length");
    // hyper removes it from responses.
    if let Some(te) = response.headers_mut().remove("te") {
        response.headers_mut().insert("x-te", te);
    }
    let target = head.uri.path_and_query().unwrap().as_str().parse().unwrap();
    response.headers_mut().insert("x-target", target);
    response.headers_mut().insert("x-method", head.method.as_str().parse().unwrap());
    response
}

pub fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
    let header = |(name, value): &(&'static str, &str)| {
        (http::HeaderName::from_static(name), value.parse().unwrap())
    };
    lines.iter().map(header).collect()
}

pub fn full(body: impl Into<Bytes>) -> Body {
    Full::new(body.into()).boxed_unsync()
}

/// Returns a body and the sender of its pieces.
pub fn channel() -> (mpsc::Sender<Bytes>, Body) {
    let (sender, receiver) = mpsc::channel(1);
    let pieces = stream::unfold(receiver, async |mut receiver| {
        let data: Bytes = receiver.recv().await?;
        Some((Ok(Frame::data(data)), receiver))
    });
    (sender, StreamBody::new(pieces).boxed_unsync())
}

/// A gRPC client on one connection.
#[derive(Clone)]
pub struct Caller(SendRequest<Body>);

impl Caller {
    pub async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        let (sender, connection) =
            handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        Self(sender)
    }

    /// Makes a call and returns the headers of the response, and the body to come.
    pub async fn call(&self, path: &str, lines: HeaderMap, body: Body) -> Response<Incoming> {
        let mut request = Request::post(format!("http://mynah{path}")).body(body).unwrap();
        *request.headers_mut() = lines;
        request.headers_mut().insert("content-type", "application/grpc".parse().unwrap());
        request.headers_mut().insert("te", "trailers".parse().unwrap());
        with_timeout(self.0.clone().send_request(request)).await.unwrap()
    }

    /// Makes a call and returns its gRPC status and message.
    pub async fn status(&self, path: &str) -> (String, String) {
        let response = self.call(path, HeaderMap::new(), full("")).await;
        let head = response.headers().clone();
        let body = with_timeout(response.into_body().collect()).await.unwrap();
        status(body.trailers().unwrap_or(&head))
    }
}

/// Returns the gRPC status and message in headers or trailers.
pub fn status(headers: &HeaderMap) -> (String, String) {
    let text = |name| headers.get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
    (text("grpc-status"), text("grpc-message"))
}

/// Reads the next piece of a body.
pub async fn next(body: &mut Incoming) -> Option<Bytes> {
    let frame = with_timeout(body.frame()).await?.unwrap();
    frame.into_data().ok()
}
