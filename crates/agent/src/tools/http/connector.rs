//! Connects to hosts, directly or through a proxy.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_util::{FutureExt, future::BoxFuture};
use http::{Uri, uri::Scheme};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::{
    client::legacy::connect::{Connected, Connection, proxy::Tunnel},
    rt::TokioIo,
};
use thiserror::Error as ThisError;
use tokio::net::{TcpStream, lookup_host};
use tower_service::Service;

use super::{
    allow::{AllowList, port},
    proxy::Proxy,
};

/// Connects to the host of a URL.
#[derive(Debug, Clone)]
pub(super) struct Connector {
    /// The allowed addresses. `None` allows all.
    pub(super) allow: Option<Arc<AllowList>>,
    pub(super) has_tls: bool,
    /// The proxy for all requests.
    pub(super) proxy: Option<Proxy>,
}

/// The reason why there is no connection.
#[derive(Debug, ThisError)]
pub(super) enum ConnectError {
    /// The URL has no host, or is not one of HTTP.
    #[error("{0} is not an http or https URL")]
    Unsupported(Uri),
    /// A redirect leads from http to https.
    #[error("the redirect to {0} needs https; use https in the url of the tool")]
    NoTls(Uri),
    /// No address of the host is allowed.
    #[error("{host}:{port} is not allowed: {address}; the file allows {allowed}")]
    Forbidden { host: String, port: u16, address: String, allowed: String },
    /// The host cannot be found or does not accept connections.
    #[error("cannot connect to {0}: {1}")]
    Failed(String, io::Error),
    /// The proxy does not connect to the host.
    #[error("the proxy {proxy} does not connect to {host}: {reason}")]
    Proxy { proxy: Uri, host: String, reason: String },
}

impl Connector {
    async fn connect(mut self, url: Uri) -> Result<Stream, ConnectError> {
        let is_https = url.scheme() == Some(&Scheme::HTTPS);
        if is_https && !self.has_tls {
            return Err(ConnectError::NoTls(url));
        }
        match self.proxy.take() {
            None => self.dial(url).await,
            Some(proxy) if is_https => tunnel(proxy, self, url).await,
            Some(proxy) => Ok(Stream { is_proxied: true, ..self.dial(proxy.url).await? }),
        }
    }
}

/// Lets a proxy connect to the host of a URL. `direct` connects to the proxy.
async fn tunnel(proxy: Proxy, direct: Connector, url: Uri) -> Result<Stream, ConnectError> {
    let mut tunnel = Tunnel::new(proxy.url.clone(), direct);
    if let Some(authorization) = proxy.authorization {
        tunnel = tunnel.with_auth(authorization);
    }
    let host = url.authority().map(ToString::to_string).unwrap_or_default();
    tunnel.call(url).await.map_err(|error| {
        let cause = std::error::Error::source(&error);
        let reason = cause.map_or_else(|| error.to_string(), ToString::to_string);
        ConnectError::Proxy { proxy: proxy.url, host, reason }
    })
}

impl Connector {
    /// Connects to the host of a URL without a proxy. The address that is checked is the one that is dialled,
    /// so a name cannot change its address in between.
    async fn dial(self, url: Uri) -> Result<Stream, ConnectError> {
        let (Some(host), Some(port)) = (url.host(), port(&url)) else {
            return Err(ConnectError::Unsupported(url));
        };
        let failed = |error| ConnectError::Failed(format!("{host}:{port}"), error);
        let name = host.trim_start_matches('[').trim_end_matches(']');
        let addresses: Vec<_> = lookup_host((name, port)).await.map_err(failed)?.collect();
        let is_allowed = |address: &&SocketAddr| {
            self.allow.as_ref().is_none_or(|allow| allow.allows(host, **address))
        };
        let allowed: Vec<_> = addresses.iter().filter(is_allowed).copied().collect();
        if let (Some(allow), Some(address), []) =
            (&self.allow, addresses.first(), allowed.as_slice())
        {
            return Err(ConnectError::Forbidden {
                host: host.to_owned(),
                port,
                address: format!("its address {} is not listed", address.ip()),
                allowed: allow.to_string(),
            });
        }
        let stream = TcpStream::connect(allowed.as_slice()).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        Ok(Stream { io: TokioIo::new(stream), is_proxied: false })
    }
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = ConnectError;
    type Future = BoxFuture<'static, Result<Stream, ConnectError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, url: Uri) -> Self::Future {
        self.clone().connect(url).boxed()
    }
}

/// A connection to a host or to a proxy.
#[derive(Debug)]
pub(super) struct Stream {
    io: TokioIo<TcpStream>,
    /// Whether requests name the host, because a proxy passes them on.
    is_proxied: bool,
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        self.io.inner().connected().proxy(self.is_proxied)
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
