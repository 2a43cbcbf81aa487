//! The component that a socket serves, with its instances.

use std::sync::Arc;

use tonic::Status;

use crate::{
    api::{grpc::method::Call, guard::Guard, pipeline::FindComponent},
    base::memory::Charge,
    component::{self, Context},
    engine::{Component, Engine, Instances, InstancesFull, MAX_INSTANCES, Properties, Replaced},
    wire::error::{Error, component_status},
};

/// The component that a socket serves.
#[derive(Debug)]
pub(super) struct Pluggable {
    pub(super) engine: Arc<Engine>,
    pub(super) guard: Arc<Guard>,
    pub(super) context: Context,
    pub(super) instances: Arc<Instances>,
}

/// One call over the socket, and the memory that it uses.
#[derive(Debug, Clone)]
pub(super) struct ComponentCall {
    pub(super) component: Arc<Pluggable>,
    pub(super) charge: Arc<Charge>,
}

impl Call for ComponentCall {
    fn max_body_size(&self) -> usize {
        self.component.guard.max_body_size
    }

    fn charge(&self) -> &Charge {
        &self.charge
    }

    fn status(error: Error) -> Status {
        component_status(error)
    }
}

impl Pluggable {
    /// Makes an instance from its properties, or replaces the one of the same name.
    pub(super) async fn initialize(&self, name: &str, properties: Properties) -> Result<(), Error> {
        let (spec, warnings) =
            component::instance(name, &properties, &self.context).map_err(|errors| {
                let errors: Vec<_> = errors.into_iter().map(|error| error.message).collect();
                Error::InvalidMetadata(errors.join(" | "))
            })?;
        for warning in warnings {
            tracing::warn!(instance = name, "{}", warning.message);
        }
        self.engine.set_secrets(&self.context.environment);
        self.instances.share_connections(&spec);
        let connected = spec.connect().await;
        connected.map_err(|error| Error::InvalidMetadata(error.to_string()))?;
        let replaced = self.instances.insert(spec, properties, &self.engine);
        let replaced = replaced.map_err(|InstancesFull| Error::TooManyInstances(MAX_INSTANCES))?;
        if replaced == Replaced::Other {
            tracing::warn!(instance = name, "initialized again, with other properties");
        }
        Ok(())
    }
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
