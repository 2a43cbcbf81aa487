//! The component that a socket serves, with its instances.

use std::{path::PathBuf, sync::Arc};

use tokio::sync::Semaphore;
use tonic::Status;

use crate::{
    api::{
        access::Guard,
        diagnostics::{listed, log_warnings},
        grpc::method::GrpcCall,
        pipeline::FindComponent,
    },
    base::{
        blocking::{Panicked, run_blocking_in_turn},
        kept_memory::KeptMemory,
        memory::MemoryBudget,
    },
    component::{self, CheckedInstance, Context},
    engine::{Component, Engine, Instances, InstancesFull, MAX_INSTANCES, Properties, Replaced},
    net,
    wire::error::{Error, component_status},
};

/// The component that a socket serves.
#[derive(Debug)]
pub(super) struct Pluggable {
    pub(super) engine: Arc<Engine>,
    pub(super) guard: Arc<Guard>,
    pub(super) context: Context,
    /// The folder of the files that instances may use.
    pub(super) files: Option<PathBuf>,
    /// The memory for the instances of all sockets.
    pub(super) memory: Arc<MemoryBudget>,
    pub(super) instances: Arc<Instances>,
    /// Lets one instance be checked at a time.
    pub(super) turn: Arc<Semaphore>,
}

/// One call over the socket.
#[derive(Debug, Clone)]
pub(super) struct ComponentCall {
    pub(super) component: Arc<Pluggable>,
    pub(super) transport: net::TransportCall,
}

impl GrpcCall for ComponentCall {
    fn max_body_size(&self) -> usize {
        self.component.guard.max_body_size
    }

    fn transport(&self) -> &net::TransportCall {
        &self.transport
    }

    fn status(error: Error) -> Status {
        component_status(error)
    }
}

impl Pluggable {
    /// Makes an instance from its properties, or replaces the one of the same name.
    pub(super) async fn initialize(
        self: Arc<Self>,
        name: String,
        properties: Properties,
    ) -> Result<(), Error> {
        let memory = KeptMemory::new(&self.memory, &self.guard.memory);
        memory.grow(component::memory(&properties)).await?;
        let pluggable = self.clone();
        let check = move || (pluggable.check(&name, &properties), properties);
        let checked = run_blocking_in_turn(&self.turn, check).await;
        let (checked, properties) = checked.map_err(panicked)?;
        let checked = checked?;
        memory.grow(checked.memory).await?;
        self.insert(checked, properties, memory).await
    }

    /// Checks the properties. Logs warnings.
    fn check(&self, name: &str, properties: &Properties) -> Result<CheckedInstance, Error> {
        let files = self.files.as_deref();
        let checked = component::instance(name, properties, files, &self.context);
        let checked = checked.map_err(|errors| {
            Error::InvalidMetadata(listed(&errors, " | ", |error| error.message.clone()))
        })?;
        log_warnings(&format!("instance {name}"), &checked.warnings);
        self.engine.set_secrets(&self.context.environment);
        Ok(checked)
    }

    async fn insert(
        &self,
        checked: CheckedInstance,
        properties: Properties,
        memory: KeptMemory,
    ) -> Result<(), Error> {
        let CheckedInstance { spec, .. } = checked;
        self.instances.share_connections(&spec);
        let connected = spec.connect().await;
        connected.map_err(|error| Error::InvalidMetadata(error.to_string()))?;
        let name = spec.name.clone();
        let replaced = self.instances.insert(spec, properties, memory, &self.engine);
        let replaced = replaced.map_err(|InstancesFull| Error::TooManyInstances(MAX_INSTANCES))?;
        if replaced == Replaced::Other {
            tracing::warn!(instance = name, "initialized again, with other properties");
        }
        Ok(())
    }
}

fn panicked(_: Panicked) -> Error {
    Error::InvalidMetadata("checking it panicked; see the log".to_owned())
}

/// Finds instances, and then the components of mynah's own files.
impl FindComponent for Pluggable {
    fn find(&self, name: &str) -> Result<Arc<Component>, Error> {
        let component =
            self.instances.find(name).or_else(|| self.engine.components.find(name).ok());
        component.ok_or_else(|| Error::NotInitialized(name.to_owned()))
    }

    fn engine(&self) -> &Engine {
        &self.engine
    }
}
