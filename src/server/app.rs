//! The sidecar: [`App::bind`] loads components and binds addresses; [`App::serve`] serves until
//! draining starts.

use std::{fs, sync::Arc, time::Duration};

use futures_util::{TryFutureExt, future};
use hyper_util::service::TowerToHyperService;
use tokio::task::{JoinError, JoinSet};

use super::{
    config::{self, Addresses, Config, Daprd, JournalConfig},
    error::{ServeError, StartError},
    listening::Listening,
    reload::Reload,
    services::Services,
    sessions::Sessions,
};
use crate::{
    api::{
        access::Guard, component as component_socket, control::SessionAddresses, inspector, metrics,
    },
    base::{blocking::run_blocking, clock, drain::Drain, memory::MemoryBudget},
    component::{self, ComponentSpec, RealModels},
    engine::{Engine, journal::Journal},
    net::{self, HttpVersions, Listener, Protocol, WorkerEnds, Workers},
    upstream::Closed,
};

/// Time that workers have to end when they are stopped. A call that does not wait delays them.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// A sidecar that has bound its addresses but is not serving yet.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) engine: Arc<Engine>,
    pub(crate) drain: Drain,
    /// The addresses that are bound.
    pub(crate) addresses: Addresses,
    /// The daprd behind the sidecar, if there is one.
    pub(crate) daprd: Daprd,
    /// Whether the inspector is served.
    has_inspector: bool,
    listeners: Listeners,
    sessions: Sessions,
    workers: Workers,
    worker_ends: WorkerEnds,
    reload: Option<Reload>,
    models: Option<RealModels>,
    grace: Duration,
}

impl App {
    /// Loads the components and binds the addresses.
    ///
    /// # Errors
    ///
    /// Fails if a component has an error, an address cannot be bound, the worker threads cannot be
    /// started, or the addresses file cannot be written. Metrics are optional: if their address
    /// cannot be bound, a warning is logged.
    pub(crate) async fn bind(config: Config) -> Result<Self, StartError> {
        config::remove_addresses(&config);
        net::raise_open_files_limit();
        let models = open_models(&config).await?;
        let (components, mut reload) = load(&config, models.as_ref()).await?;
        let mut engine = Engine::new(&config.app_id, &components);
        engine.lookups = reload.as_mut().and_then(Reload::lookups);
        open_journal(&config, &mut engine).await?;
        let engine = Arc::new(engine);
        let drain = Drain::default();
        let (workers, worker_ends) = Workers::start(&drain).map_err(StartError::Threads)?;
        let (listeners, sessions, addresses) =
            listen(&config, models.as_ref(), &engine, &drain, &workers).await?;
        warn_if_exposed(&config);
        warn_if_missing(&config, &engine);
        warn_if_no_model(&config, &engine);
        // The last step that can fail: if the file exists, mynah serves.
        config::write_addresses(&config, &addresses)?;
        let Config { grace, daprd, has_inspector, .. } = config;
        Ok(Self {
            engine,
            drain,
            addresses,
            daprd,
            has_inspector,
            listeners,
            sessions,
            workers,
            worker_ends,
            reload,
            models,
            grace,
        })
    }

    /// Returns the address of the inspector, if it is served where a browser can open it.
    pub(crate) fn inspector(&self) -> Option<String> {
        let http = self.addresses.http.dialable();
        (self.has_inspector && http.port().is_some()).then(|| inspector::url(&http))
    }

    /// Serves until [draining](Self::drain) starts, then lets the calls in flight finish.
    ///
    /// # Errors
    ///
    /// Fails if a socket stops listening.
    pub(crate) async fn serve(self) -> Result<(), ServeError> {
        let Self {
            engine,
            drain,
            listeners,
            sessions,
            workers,
            worker_ends,
            reload,
            models,
            grace,
            ..
        } = self;
        let mut accept_tasks = JoinSet::new();
        accept_tasks.spawn(sessions.run());
        for (Listener { address, sockets }, protocol) in listeners {
            for socket in sockets {
                let address = address.clone();
                let running = net::accept(socket, protocol.clone(), workers.clone(), drain.clone());
                let failed = |source| ServeError::Accept { address, source };
                accept_tasks.spawn(running.map_err(failed));
            }
        }
        drop(workers);
        let mut reload_tasks = JoinSet::new();
        if let Some(reload) = reload {
            reload_tasks.spawn(reload.run(engine.clone()));
        }
        let failed = tokio::select! {
            () = drain.started() => None,
            Some(ended) = accept_tasks.join_next() => failure(ended),
        };
        drain.start();
        let mut worker_ends = future::join_all(worker_ends);
        let finish = async {
            while accept_tasks.join_next().await.is_some() {}
            (&mut worker_ends).await;
        };
        if clock::within(grace, finish).await.is_none() {
            tracing::warn!("connections are still open after {grace:?}; closing them");
            drain.stop();
            // Workers also wait for the tasks that may assign connections to them.
            accept_tasks.abort_all();
            // Until they have ended, they may still answer calls.
            let _ = clock::within(STOP_TIMEOUT, worker_ends).await;
        }
        close_journal(&engine).await;
        close_recorder(models).await;
        failed.map_or(Ok(()), Err)
    }
}

fn failure(ended: Result<Result<(), ServeError>, JoinError>) -> Option<ServeError> {
    ended.unwrap_or_else(|error| Err(ServeError::Panicked(error))).err()
}

/// Opens the journal, unless it is off.
async fn open_journal(config: &Config, engine: &mut Engine) -> Result<(), StartError> {
    let JournalConfig { size, file } = config.journal.clone();
    if size > 0 || file.is_some() {
        let dropped = engine.metrics.journal_dropped.clone();
        let path = file.clone().unwrap_or_default();
        // A slow file system must not delay a signal.
        let redactor = engine.redactor.clone();
        let open = move || Journal::new(size, file.as_deref(), dropped, redactor);
        let opened = run_blocking(open).await?;
        let journal = opened.map_err(|source| StartError::JournalFile { path, source })?;
        engine.journal = Some(Arc::new(journal));
    }
    engine.set_secrets(&config.environment);
    Ok(())
}

/// Writes what is left of the journal to its file.
async fn close_journal(engine: &Engine) {
    let Some(journal) = engine.journal.clone() else { return };
    let Some(timeout) = journal.close_timeout() else { return };
    if clock::within(timeout, run_blocking(move || journal.close())).await.is_none() {
        tracing::error!("the journal file is incomplete: it was not written within {timeout:?}");
    }
}

/// Starts to record, if answers of real models are recorded.
async fn open_models(config: &Config) -> Result<Option<RealModels>, StartError> {
    let Some(source) = config.models.clone() else { return Ok(None) };
    let environment = config.environment.clone();
    Ok(Some(run_blocking(move || source.open(&environment)).await??))
}

/// Writes what is left of the recordings. Warns if nothing was recorded of the calls, or if all were to be
/// recorded, but there were none.
async fn close_recorder(models: Option<RealModels>) {
    let records_all = matches!(models, Some(RealModels::Upstream(_)));
    let Some(recorder) = models.and_then(|it| it.recorder()) else { return };
    match run_blocking(move || recorder.close()).await {
        Ok(Closed::Idle) if records_all => tracing::warn!(
            "nothing was recorded: no call reached a real model through mynah; an OpenAI client finds mynah by \
             OPENAI_BASE_URL"
        ),
        Ok(Closed::Nothing(reason)) => tracing::warn!("nothing was recorded: {reason}"),
        // A panic has been logged.
        Ok(Closed::Idle | Closed::Recorded) | Err(_) => {}
    }
}

type Listeners = Vec<(Listener, Protocol)>;

/// Binds the addresses of the gRPC, HTTP and metrics servers.
async fn listen(
    config: &Config,
    models: Option<&RealModels>,
    engine: &Arc<Engine>,
    drain: &Drain,
    workers: &Workers,
) -> Result<(Listeners, Sessions, Addresses), StartError> {
    let memory = Arc::new(MemoryBudget::new(config.max_memory));
    engine.metrics.show_memory(memory.clone());
    let guard = Arc::new(Guard {
        access: config.access.clone(),
        max_body_size: config.max_body_size,
        memory: memory.clone(),
    });
    let listening = Listening::new(config);
    let [grpc, http] = listening.bind().await?;
    let metrics = config.metrics.then(|| listening.bind_metrics()).flatten();
    let components = bind_component_sockets(config, models, engine, &guard, drain).await?;
    let addresses = Addresses {
        grpc: grpc.address.clone(),
        http: http.address.clone(),
        metrics: metrics.as_ref().map(|listener| listener.address.clone()),
        component_sockets: components.iter().map(|(it, _)| it.address.clone()).collect(),
    };
    let services = Services::new(config, engine.clone(), guard);
    let (session_addresses, requests) = SessionAddresses::new();
    let protocols = services.main(drain, session_addresses);
    let sessions = Sessions::new(listening, services, workers, drain, config.grace, requests);
    let mut listeners: Listeners = [grpc, http].into_iter().zip(protocols).collect();
    listeners.extend(components);
    listeners.extend(metrics.map(|listener| {
        let service = TowerToHyperService::new(metrics::router(engine.clone()));
        (listener, Protocol::new(HttpVersions::All, service, memory))
    }));
    Ok((listeners, sessions, addresses))
}

fn warn_if_exposed(config: &Config) {
    let is_reachable = config.sockets.is_none() && !config.interfaces.are_loopback();
    if is_reachable && config.access.token.is_none() {
        tracing::warn!(
            "other machines can call mynah without a token; set DAPR_API_TOKEN to require one"
        );
    }
}

/// A reload may still add the component.
fn warn_if_missing(config: &Config, engine: &Engine) {
    if let Some(name) = &config.openai_component
        && engine.components.find(name).is_err()
    {
        tracing::warn!("--openai-component: there is no component {name:?}");
    }
}

/// A reload may still add one, and so may a lookup in daprd.
fn warn_if_no_model(config: &Config, engine: &Engine) {
    let has_model = || engine.components.all().iter().any(|it| it.answered_by.is_some());
    if config.models.is_some() && engine.lookups.is_none() && !has_model() {
        tracing::warn!(
            "no component has a real model: set --resources-path to components of other types than \
             conversation.echo and conversation.scripted"
        );
    }
}

/// Loads the components from the resources paths, and returns them with the `Reload` that reloads
/// them. Without any path, there is one built-in component, which is reloaded only if it has rules or if
/// those of a daprd may be added.
async fn load(
    config: &Config,
    models: Option<&RealModels>,
) -> Result<(Vec<ComponentSpec>, Option<Reload>), StartError> {
    let context = config.context(models);
    // daprd initializes the instances of component sockets later.
    let has_instances = !config.component_sockets.names.is_empty();
    let lacks_components =
        config.resources_paths.is_empty() && context.daprd().is_none() && !has_instances;
    if lacks_components && matches!(models, Some(RealModels::Replay { .. })) {
        return Err(StartError::UselessReplay);
    }
    let has_built_in = config.resources_paths.is_empty() && config.rules.is_empty();
    if has_built_in && !config.strict && context.daprd().is_none() {
        let has_strict_history = config.has_strict_history;
        let built_in = ComponentSpec { has_strict_history, ..component::built_in() };
        return Ok((vec![built_in], None));
    }
    let paths = config.resources_paths.clone();
    let reload = Reload::new(paths, context).await?;
    if config.strict
        && !has_instances
        && !reload.components().iter().any(ComponentSpec::follows_scripts)
    {
        return Err(StartError::UselessStrict);
    }
    Ok((reload.components().to_vec(), Some(reload)))
}

/// The instances of all sockets may take one part in this number of the memory.
const MEMORY_SHARE: usize = 4;

/// Binds a socket for each name, and makes their folder if it does not exist.
async fn bind_component_sockets(
    config: &Config,
    models: Option<&RealModels>,
    engine: &Arc<Engine>,
    guard: &Arc<Guard>,
    drain: &Drain,
) -> Result<Vec<(Listener, Protocol)>, StartError> {
    let sockets = &config.component_sockets;
    if !sockets.names.is_empty() {
        let failed = |source| StartError::SocketFolder { path: sockets.folder.clone(), source };
        fs::create_dir_all(&sockets.folder).map_err(failed)?;
    }
    let instances = Arc::new(guard.memory.share(MEMORY_SHARE));
    let mut bound = Vec::new();
    for name in &sockets.names {
        let path = sockets.folder.join(format!("{name}.sock"));
        let flag = "DAPR_COMPONENTS_SOCKETS_FOLDER";
        let listener = net::bind_socket(&path, Some(sockets.mode), flag).await?;
        let (engine, guard, files) = (engine.clone(), guard.clone(), sockets.files.clone());
        let memory = guard.memory.clone();
        let (context, drain) = (config.context(models), drain.clone());
        let service =
            component_socket::Service::new(engine, guard, context, files, instances.clone(), drain);
        bound.push((listener, Protocol::new(HttpVersions::Http2, service, memory)));
    }
    Ok(bound)
}
