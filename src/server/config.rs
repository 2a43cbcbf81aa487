//! The configuration of a sidecar.

use std::{path::PathBuf, time::Duration};

use crate::{
    api::access::Access, base::environment::Environment, component::StandIn, net::Interfaces,
};

/// The configuration of a sidecar.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// Id of the application that the sidecar belongs to.
    pub app_id: String,
    /// Folders of component YAML. Without any there is one built-in echo.
    pub resources_paths: Vec<PathBuf>,
    /// The provider for component types that mynah does not implement. `None` makes them errors.
    pub stand_in: Option<StandIn>,
    /// The environment variables that components may refer to.
    pub environment: Environment,
    /// The interfaces to listen on.
    pub interfaces: Interfaces,
    /// The ports. Not used if `sockets` is set.
    pub ports: Ports,
    /// Folder of Unix sockets that replace the gRPC and HTTP ports.
    pub sockets: Option<PathBuf>,
    /// Whether to serve metrics.
    pub metrics: bool,
    /// Maximum size in bytes of a request, and of a gRPC response.
    pub max_body_size: usize,
    /// Time in which calls in flight must finish at shutdown.
    pub grace: Duration,
    /// Who may call.
    pub access: Access,
    /// File to write the bound addresses to, as JSON.
    pub addresses_file: Option<PathBuf>,
}

/// The ports to listen on. 0 selects a free one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ports {
    /// Dapr's API over gRPC.
    pub grpc: u16,
    /// Dapr's API over HTTP.
    pub http: u16,
    /// Prometheus metrics.
    pub metrics: u16,
}

impl Ports {
    /// Free ports, chosen by the system.
    pub(crate) const FREE: Self = Self { grpc: 0, http: 0, metrics: 0 };
}
