//! The program: [`App::bind`] loads and binds, [`App::serve`] serves until it is told to stop.

use std::{fs, io, path::PathBuf, sync::Arc};

use futures_util::future;
use serde::Serialize;
use thiserror::Error as ThisError;
use tokio::task::JoinSet;

use crate::{
    api::{
        dapr::{grpc, http},
        sidecar::{Labels, Sidecar},
    },
    base::{clock, diagnostics::Diagnostic, drain::Drain},
    component::{self, ComponentSpec},
    engine::{dispatch::Component, metrics::Metrics},
    net::{self, Address, BindError, Listener, Protocol, Socket, Workers},
    server::{config::Config, reload::Reload},
};

/// A sidecar that has its addresses and serves nothing yet.
#[derive(Debug)]
pub struct App {
    sidecar: Arc<Sidecar>,
    addresses: Addresses,
    surfaces: Vec<Surface>,
    reload: Option<Reload>,
    config: Config,
}

#[derive(Debug)]
struct Surface {
    listener: Listener,
    protocol: Protocol,
}

/// Where a sidecar listens.
#[derive(Debug, Clone, Serialize)]
pub struct Addresses {
    /// Dapr's API over gRPC.
    pub grpc: Address,
    /// Dapr's API over HTTP.
    pub http: Address,
    /// Prometheus metrics, where they are served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Address>,
}

/// Why a sidecar cannot start.
#[derive(Debug, ThisError)]
pub enum StartError {
    /// Components cannot be loaded.
    #[error("the components cannot be loaded:{}", lines(.0))]
    Components(Vec<Diagnostic>),
    /// An address cannot be listened on.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The addresses cannot be written down.
    #[error("cannot write the addresses to {}", .path.display())]
    AddressesFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No threads are to be had.
    #[error("cannot start threads")]
    Threads(#[from] io::Error),
}

fn lines(errors: &[Diagnostic]) -> String {
    errors.iter().map(|error| format!("\n  {error}")).collect()
}

impl App {
    /// Loads the components and binds the addresses.
    pub async fn bind(config: Config) -> Result<Self, StartError> {
        remove_addresses(&config);
        let (components, reload) = components(&config)?;
        let sidecar = Arc::new(sidecar(&config, components));
        let grpc = bind(&config, "grpc", config.ports.grpc, "--dapr-grpc-port")?;
        let http = bind(&config, "http", config.ports.http, "--dapr-http-port")?;
        let metrics = config.metrics.then(|| bind_metrics(&config)).flatten();
        let addresses = Addresses {
            grpc: grpc.address.clone(),
            http: http.address.clone(),
            metrics: metrics.as_ref().map(|listener| listener.address.clone()),
        };
        let service = grpc::Service::new(sidecar.clone()).await;
        let surface = |listener, protocol| Surface { listener, protocol };
        let mut surfaces = vec![
            surface(grpc, Protocol::Grpc(service)),
            surface(http, Protocol::Http(http::Service::new(sidecar.clone()))),
        ];
        surfaces.extend(metrics.map(|listener| {
            surface(listener, Protocol::Metrics(http::metrics_router(sidecar.clone())))
        }));
        warn_of_open_doors(&config);
        write_addresses(&config, &addresses)?;
        Ok(Self { sidecar, addresses, surfaces, reload, config })
    }

    /// Where it listens.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// What its surfaces share.
    pub fn sidecar(&self) -> &Sidecar {
        &self.sidecar
    }

    /// Serves until the drain of its [`sidecar`](Self::sidecar) starts, then lets the calls in
    /// flight finish.
    pub async fn serve(self) -> Result<(), StartError> {
        let drain = self.sidecar.drain.clone();
        let (workers, ended) = Workers::start(&drain)?;
        let mut accepting = JoinSet::new();
        for Surface { listener, protocol } in self.surfaces {
            for socket in listener.sockets {
                spawn_accept(&mut accepting, socket, &protocol, &workers, &drain);
            }
        }
        drop(workers);
        let mut reloading = JoinSet::new();
        if let Some(reload) = self.reload {
            reloading.spawn(reload.run(self.sidecar));
        }
        drain.started().await;
        while accepting.join_next().await.is_some() {}
        if clock::within(self.config.grace, future::join_all(ended)).await.is_none() {
            tracing::warn!(
                "connections are still open after {:?}; cutting them",
                self.config.grace
            );
            drain.stop();
        }
        Ok(())
    }
}

fn spawn_accept(
    accepting: &mut JoinSet<io::Result<()>>,
    socket: Socket,
    protocol: &Protocol,
    workers: &Workers,
    drain: &Drain,
) {
    let (protocol, workers, drain) = (protocol.clone(), workers.clone(), drain.clone());
    accepting.spawn(net::accept(socket, protocol, workers, drain));
}

/// The port of an API, or its socket, which has daprd's name.
fn bind(config: &Config, api: &str, port: u16, flag: &'static str) -> Result<Listener, BindError> {
    match &config.sockets {
        Some(folder) => {
            net::bind_socket(&folder.join(format!("dapr-{}-{api}.socket", config.app_id)))
        }
        None => net::bind(&config.interfaces, port, flag),
    }
}

fn warn_of_open_doors(config: &Config) {
    let reachable = config.sockets.is_none() && !config.interfaces.are_loopback();
    if reachable && config.access.token.is_none() {
        tracing::warn!("other machines can call, and need no token; DAPR_API_TOKEN sets one");
    }
}

/// 9090 is often taken, and nobody needs metrics to get an answer.
fn bind_metrics(config: &Config) -> Option<Listener> {
    net::bind(&config.interfaces, config.ports.metrics, "--metrics-port")
        .inspect_err(|error| tracing::warn!("no metrics: {error}"))
        .ok()
}

fn sidecar(config: &Config, components: Vec<ComponentSpec>) -> Sidecar {
    let metrics = Metrics::new(&config.app_id);
    Sidecar {
        app_id: config.app_id.clone(),
        components: components.into_iter().map(|spec| Component::of(spec, &metrics)).collect(),
        max_body_size: config.max_body_size,
        access: config.access.clone(),
        metrics,
        drain: Drain::default(),
        labels: Labels::default(),
    }
}

/// The components of the resources folders, and what reloads them; without any folder, the
/// built-in one.
fn components(config: &Config) -> Result<(Vec<ComponentSpec>, Option<Reload>), StartError> {
    if config.resources_paths.is_empty() {
        return Ok((vec![component::built_in()], None));
    }
    let context = component::Context {
        app_id: config.app_id.clone(),
        environment: config.environment.clone(),
        stand_in: config.stand_in,
    };
    let reload = Reload::new(config.resources_paths.clone(), context);
    let reload = reload.map_err(StartError::Components)?;
    Ok((reload.components().to_vec(), Some(reload)))
}

/// Whoever waits for the file finds it whole or not at all.
fn write_addresses(config: &Config, addresses: &Addresses) -> Result<(), StartError> {
    let Some(path) = &config.addresses_file else { return Ok(()) };
    let unfinished = path.with_added_extension("unfinished");
    let json = serde_json::to_string(addresses).map_err(io::Error::from);
    json.and_then(|json| fs::write(&unfinished, json + "\n"))
        .and_then(|()| fs::rename(&unfinished, path))
        .map_err(|source| StartError::AddressesFile { path: path.clone(), source })
}

/// One of an earlier run must not be taken for that of this one.
fn remove_addresses(config: &Config) {
    if let Some(path) = &config.addresses_file {
        // Mostly there is none; what else is wrong shows when it is written.
        let _ = fs::remove_file(path);
    }
}
