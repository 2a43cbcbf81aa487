//! The sidecar: [`App::bind`] loads components and binds addresses; [`App::serve`] serves until
//! draining starts.

use std::{io, sync::Arc, time::Duration};

use futures_util::future;
use hyper_util::service::TowerToHyperService;
use tokio::task::JoinSet;

use super::{
    addresses::{self, Addresses},
    config::Config,
    error::StartError,
    reload::Reload,
};
use crate::{
    api::{
        dapr::{grpc, http},
        guard::Guard,
        metrics,
    },
    base::{clock, drain::Drain, memory::MemoryBudget},
    component::{self, ComponentSpec},
    engine::Engine,
    net::{self, BindError, HttpVersions, Listener, Protocol, Socket, Workers},
};

/// A sidecar that has bound its addresses but is not serving yet.
#[derive(Debug)]
pub(crate) struct App {
    engine: Arc<Engine>,
    drain: Drain,
    addresses: Addresses,
    listeners: Vec<(Listener, Protocol)>,
    reload: Option<Reload>,
    grace: Duration,
}

impl App {
    /// Loads the components and binds the addresses.
    ///
    /// # Errors
    ///
    /// Fails if a component has an error, an address cannot be bound, or the addresses file cannot
    /// be written. Metrics are optional: if their address cannot be bound, a warning is logged.
    pub(crate) async fn bind(config: Config) -> Result<Self, StartError> {
        addresses::remove(&config);
        let (components, reload) = load(&config)?;
        let engine = Arc::new(Engine::new(&config.app_id, &components));
        let drain = Drain::default();
        let (listeners, addresses) = listen(&config, &engine, &drain).await?;
        warn_if_exposed(&config);
        addresses::write(&config, &addresses)?;
        Ok(Self { engine, drain, addresses, listeners, reload, grace: config.grace })
    }

    /// Returns the bound addresses.
    pub(crate) fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// Returns the engine, which has the components and metrics.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the signal that shuts the sidecar down.
    pub(crate) fn drain(&self) -> &Drain {
        &self.drain
    }

    /// Serves until [draining](Self::drain) starts, then lets the calls in flight finish.
    ///
    /// # Errors
    ///
    /// Fails if the worker threads cannot be started.
    pub(crate) async fn serve(self) -> Result<(), StartError> {
        let Self { engine, drain, listeners, reload, grace, .. } = self;
        let (workers, worker_ends) = Workers::start(&drain)?;
        let mut accept_tasks = JoinSet::new();
        for (listener, protocol) in listeners {
            for socket in listener.sockets {
                spawn_accept(&mut accept_tasks, socket, &protocol, &workers, &drain);
            }
        }
        drop(workers);
        let mut reload_tasks = JoinSet::new();
        if let Some(reload) = reload {
            reload_tasks.spawn(reload.run(engine));
        }
        drain.started().await;
        while accept_tasks.join_next().await.is_some() {}
        if clock::within(grace, future::join_all(worker_ends)).await.is_none() {
            tracing::warn!("connections are still open after {grace:?}; closing them");
            drain.stop();
        }
        Ok(())
    }
}

type Listeners = Vec<(Listener, Protocol)>;

/// Binds the addresses of the gRPC, HTTP and metrics servers.
async fn listen(
    config: &Config,
    engine: &Arc<Engine>,
    drain: &Drain,
) -> Result<(Listeners, Addresses), StartError> {
    let memory = Arc::new(MemoryBudget::new(config.max_memory));
    let guard = Arc::new(Guard {
        access: config.access.clone(),
        max_body_size: config.max_body_size,
        memory: memory.clone(),
    });
    let grpc = bind(config, "grpc", config.ports.grpc, "--dapr-grpc-port")?;
    let http = bind(config, "http", config.ports.http, "--dapr-http-port")?;
    let metrics = config.metrics.then(|| bind_metrics(config)).flatten();
    let addresses = Addresses {
        grpc: grpc.address.clone(),
        http: http.address.clone(),
        metrics: metrics.as_ref().map(|listener| listener.address.clone()),
    };
    let grpc_service = grpc::Service::new(engine.clone(), guard.clone(), drain.clone()).await;
    let http_service = http::Service::new(engine.clone(), guard, drain.clone());
    let mut listeners = vec![
        (grpc, Protocol::new(HttpVersions::Http2, grpc_service, memory.clone())),
        (http, Protocol::new(HttpVersions::All, http_service, memory.clone())),
    ];
    listeners.extend(metrics.map(|listener| {
        let service = TowerToHyperService::new(metrics::router(engine.clone()));
        (listener, Protocol::new(HttpVersions::All, service, memory))
    }));
    Ok((listeners, addresses))
}

fn spawn_accept(
    accept_tasks: &mut JoinSet<io::Result<()>>,
    socket: Socket,
    protocol: &Protocol,
    workers: &Workers,
    drain: &Drain,
) {
    let (protocol, workers, drain) = (protocol.clone(), workers.clone(), drain.clone());
    accept_tasks.spawn(net::accept(socket, protocol, workers, drain));
}

/// Binds an API's TCP port or its Unix socket. The socket has the same file name as daprd's.
fn bind(config: &Config, api: &str, port: u16, flag: &'static str) -> Result<Listener, BindError> {
    match &config.sockets {
        Some(folder) => {
            net::bind_socket(&folder.join(format!("dapr-{}-{api}.socket", config.app_id)))
        }
        None => net::bind(&config.interfaces, port, flag),
    }
}

/// Binds the metrics port. Failure causes only a warning: port 9090 is often taken, and mynah can
/// serve calls without metrics.
fn bind_metrics(config: &Config) -> Option<Listener> {
    net::bind(&config.interfaces, config.ports.metrics, "--metrics-port")
        .inspect_err(|error| tracing::warn!("no metrics: {error}"))
        .ok()
}

fn warn_if_exposed(config: &Config) {
    let is_reachable = config.sockets.is_none() && !config.interfaces.are_loopback();
    if is_reachable && config.access.token.is_none() {
        tracing::warn!(
            "other machines can call mynah without a token; set DAPR_API_TOKEN to require one"
        );
    }
}

/// Loads the components from the resources paths, and returns them with the `Reload` that reloads
/// them. Without any path, there is one built-in component, which is not reloaded.
fn load(config: &Config) -> Result<(Vec<ComponentSpec>, Option<Reload>), StartError> {
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
