//! The program: [`App::bind`] loads and binds, [`App::serve`] serves until it is told to stop.

use std::{
    fs,
    future::Future,
    io,
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    sync::Arc,
};

use axum::Router;
use futures_util::future;
use serde::Serialize;
use thiserror::Error as ThisError;
use tokio::task::JoinSet;

use crate::{
    clock,
    config::Config,
    dispatch::{Component, Components},
    grpc, http,
    metrics::Metrics,
    net::{self, BindError, Drain, Listener, Protocol, Workers},
    provider::echo::{Echo, EchoSettings},
    sidecar::{Labels, Sidecar},
};

/// A sidecar that has its addresses and serves nothing yet.
#[derive(Debug)]
pub struct App {
    sidecar: Arc<Sidecar>,
    addresses: Addresses,
    surfaces: Vec<Surface>,
    config: Config,
}

#[derive(Debug)]
struct Surface {
    listener: Listener,
    protocol: Protocol,
    router: Router,
}

/// Where a sidecar listens.
#[derive(Debug, Clone, Serialize)]
pub struct Addresses {
    /// Dapr's API over gRPC.
    pub grpc: SocketAddr,
    /// Dapr's API over HTTP.
    pub http: SocketAddr,
    /// Prometheus metrics, where they are served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<SocketAddr>,
}

/// Why a sidecar cannot start.
#[derive(Debug, ThisError)]
pub enum StartError {
    /// An address cannot be listened on.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The address of a socket cannot be told.
    #[error("a socket has no address")]
    NoAddress,
    /// The addresses cannot be written down.
    #[error("cannot write the addresses to {}: {source}", .path.display())]
    AddressesFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The built-in descriptors are broken.
    #[error("reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// No threads are to be had.
    #[error("cannot start threads: {0}")]
    Threads(#[from] io::Error),
}

impl App {
    /// Loads the components and binds the addresses.
    pub async fn bind(config: Config) -> Result<Self, StartError> {
        let sidecar = Arc::new(sidecar(&config));
        let grpc = net::bind(&config.interfaces, config.grpc_port, "--dapr-grpc-port")?;
        let http = net::bind(&config.interfaces, config.http_port, "--dapr-http-port")?;
        let metrics = config.metrics_port.and_then(|port| bind_metrics(&config, port));
        let addresses = Addresses {
            grpc: grpc.address().ok_or(StartError::NoAddress)?,
            http: http.address().ok_or(StartError::NoAddress)?,
            metrics: metrics.as_ref().and_then(Listener::address),
        };
        let grpc_router = grpc::router(sidecar.clone()).await?;
        let surface = |listener, protocol, router| Surface { listener, protocol, router };
        let mut surfaces = vec![
            surface(grpc, Protocol::Grpc, grpc_router),
            surface(http, Protocol::Http, http::router(sidecar.clone())),
        ];
        surfaces.extend(metrics.map(|listener| {
            surface(listener, Protocol::Http, http::metrics_router(sidecar.clone()))
        }));
        write_addresses(&config, &addresses)?;
        Ok(Self { sidecar, addresses, surfaces, config })
    }

    /// Where it listens.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// What its surfaces share.
    pub fn sidecar(&self) -> &Sidecar {
        &self.sidecar
    }

    /// Serves until `shutdown` is ready or a client asks for the end, then lets the calls in
    /// flight finish.
    pub async fn serve(self, shutdown: impl Future<Output = ()>) -> Result<(), StartError> {
        let drain = self.sidecar.drain.clone();
        let (workers, ended) = Workers::start(&drain)?;
        let mut accepting = JoinSet::new();
        for Surface { listener, protocol, router } in self.surfaces {
            for socket in listener.sockets {
                spawn_accept(&mut accepting, socket, protocol, &router, &workers, &drain);
            }
        }
        drop(workers);
        tokio::select! {
            () = shutdown => drain.start(),
            () = drain.started() => {}
        }
        while accepting.join_next().await.is_some() {}
        if clock::within(self.config.grace, future::join_all(ended)).await.is_none() {
            tracing::warn!("calls are still in flight after {:?}; cutting them", self.config.grace);
            drain.stop();
        }
        Ok(())
    }
}

fn spawn_accept(
    accepting: &mut JoinSet<io::Result<()>>,
    socket: TcpListener,
    protocol: Protocol,
    router: &Router,
    workers: &Workers,
    drain: &Drain,
) {
    let (router, workers, drain) = (router.clone(), workers.clone(), drain.clone());
    accepting.spawn(net::accept(socket, protocol, router, workers, drain));
}

/// 9090 is often taken, and nobody needs metrics to get an answer.
fn bind_metrics(config: &Config, port: u16) -> Option<Listener> {
    net::bind(&config.interfaces, port, "--metrics-port")
        .inspect_err(|error| tracing::warn!("no metrics: {error}"))
        .ok()
}

fn sidecar(config: &Config) -> Sidecar {
    let metrics = Metrics::new(&config.app_id);
    let echo = Arc::new(Echo::new("echo", EchoSettings::default()));
    let component = Component::new("echo", "conversation.echo", "v1", echo, metrics.calls("echo"));
    Sidecar {
        app_id: config.app_id.clone(),
        components: Components::from_iter([component]),
        max_body_size: config.max_body_size,
        metrics,
        drain: Drain::default(),
        labels: Labels::default(),
    }
}

fn write_addresses(config: &Config, addresses: &Addresses) -> Result<(), StartError> {
    let Some(path) = &config.addresses_file else { return Ok(()) };
    let json = serde_json::to_string(addresses).map_err(io::Error::from);
    json.and_then(|json| fs::write(path, json + "\n"))
        .map_err(|source| StartError::AddressesFile { path: path.clone(), source })
}
