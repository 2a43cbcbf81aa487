//! Connections to allowed addresses only.

use std::{
    io,
    net::SocketAddr,
    sync::Arc,
    task::{Context, Poll},
};

use futures_util::{FutureExt, future::BoxFuture};
use http::{Uri, uri::Scheme};
use hyper_util::rt::TokioIo;
use thiserror::Error as ThisError;
use tokio::net::{TcpStream, lookup_host};
use tower_service::Service;

use super::allow::{AllowList, port};

/// Connects to the host of a URL. The address that is checked is the one that is dialled, so a name
/// cannot change its address in between.
#[derive(Debug, Clone)]
pub(super) struct Connector {
    pub(super) allow: Arc<AllowList>,
    pub(super) has_tls: bool,
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
}

impl Connector {
    async fn connect(self, url: Uri) -> Result<TokioIo<TcpStream>, ConnectError> {
        let (Some(host), Some(port)) = (url.host(), port(&url)) else {
            return Err(ConnectError::Unsupported(url));
        };
        if url.scheme() == Some(&Scheme::HTTPS) && !self.has_tls {
            return Err(ConnectError::NoTls(url));
        }
        let failed = |error| ConnectError::Failed(format!("{host}:{port}"), error);
        let name = host.trim_start_matches('[').trim_end_matches(']');
        let addresses: Vec<_> = lookup_host((name, port)).await.map_err(failed)?.collect();
        let is_allowed = |address: &&SocketAddr| self.allow.allows(host, **address);
        let allowed: Vec<_> = addresses.iter().filter(is_allowed).copied().collect();
        if let (Some(address), []) = (addresses.first(), allowed.as_slice()) {
            return Err(ConnectError::Forbidden {
                host: host.to_owned(),
                port,
                address: format!("its address {} is not listed", address.ip()),
                allowed: self.allow.to_string(),
            });
        }
        let stream = TcpStream::connect(allowed.as_slice()).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        Ok(TokioIo::new(stream))
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<TcpStream>;
    type Error = ConnectError;
    type Future = BoxFuture<'static, Result<TokioIo<TcpStream>, ConnectError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, url: Uri) -> Self::Future {
        self.clone().connect(url).boxed()
    }
}
