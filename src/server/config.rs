//! The configuration of a sidecar, and the file with its addresses.

use std::{fs, io, path::PathBuf, time::Duration};

use serde::Serialize;

use super::{error::StartError, model_source::ModelSource};
use crate::{
    api::access::Access,
    base::{endpoint::Endpoint, environment::Environment},
    component::{Context, RealModels, StandIn},
    net::Interfaces,
};

/// The configuration of a sidecar.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// The id of the application that the sidecar belongs to.
    pub app_id: String,
    /// The files and folders to load components from. If there are none, mynah serves one built-in
    /// echo component.
    pub resources_paths: Vec<PathBuf>,
    /// The provider that answers for component types that mynah does not implement. If `None`, such
    /// a type is an error.
    pub stand_in: Option<StandIn>,
    /// Where the answers of real models come from, instead of a stand-in.
    pub models: Option<ModelSource>,
    /// The files and folders of rules for stand-ins, for the built-in component and for scripted components
    /// without rules of their own.
    pub rules: Vec<PathBuf>,
    /// Whether the tool calls and results in a history must match, unless a component says otherwise.
    pub has_strict_history: bool,
    /// Whether a call fails that no rule and no chain answers, unless its component has a fallback.
    pub strict: bool,
    /// The component for requests of OpenAI's API whose model is not a component.
    pub openai_component: Option<String>,
    /// The sidecar behind this one.
    pub daprd: Daprd,
    /// The environment variables that components may refer to.
    pub environment: Environment,
    /// The interfaces to listen on.
    pub interfaces: Interfaces,
    /// The ports. If `sockets` is set, only the metrics port is used.
    pub ports: Ports,
    /// The folder for Unix sockets, which replace the gRPC and HTTP ports.
    pub sockets: Option<PathBuf>,
    /// The sockets of pluggable components.
    pub component_sockets: ComponentSockets,
    /// Whether to serve metrics.
    pub metrics: bool,
    /// Whether to serve the inspector.
    pub has_inspector: bool,
    /// Maximum size in bytes of a request and of a gRPC response.
    pub max_body_size: usize,
    /// Maximum number of bytes that the requests and responses of all calls take.
    pub max_memory: usize,
    /// Where calls are recorded.
    pub journal: JournalConfig,
    /// Time that calls in flight have to finish at shutdown.
    pub grace: Duration,
    /// Who may call.
    pub access: Access,
    /// The file to which the bound addresses are written as JSON.
    pub addresses_file: Option<PathBuf>,
}

/// Where calls are recorded.
#[derive(Debug, Clone, Default)]
pub(crate) struct JournalConfig {
    /// Maximum size in bytes of the entries in memory. 0 keeps none.
    pub size: usize,
    /// The file to which all entries are appended as JSON lines.
    pub file: Option<PathBuf>,
}

/// The sockets on which daprd finds pluggable components.
#[derive(Debug, Clone)]
pub(crate) struct ComponentSockets {
    /// The folder of the sockets, which is made if it does not exist.
    pub folder: PathBuf,
    /// The names of the sockets, without extension.
    pub names: Vec<String>,
    /// The permissions of the sockets.
    pub mode: u32,
    /// The folder of the files that the metadata of the components may name. Without it, they may name
    /// no files and start no programs.
    pub files: Option<PathBuf>,
}

impl Config {
    /// Returns the context in which components are loaded.
    pub(super) fn context(&self, real_models: Option<&RealModels>) -> Context {
        Context {
            app_id: self.app_id.clone(),
            environment: self.environment.clone(),
            stand_in: self.stand_in,
            real_models: real_models.cloned(),
            has_model_flags: true,
            rules: self.rules.clone(),
            strict: self.strict,
            has_strict_history: self.has_strict_history,
            ..Context::default()
        }
    }
}

/// The addresses of the daprd to which calls are passed on that mynah does not serve.
#[derive(Debug, Clone, Default)]
pub(crate) struct Daprd {
    /// The address for gRPC calls. Without it, mynah rejects such calls.
    pub grpc: Option<Endpoint>,
    /// The address for HTTP requests. Without it, mynah rejects such requests.
    pub http: Option<Endpoint>,
}

/// The ports to listen on. 0 selects a free port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ports {
    /// The gRPC port of Dapr's API.
    pub grpc: u16,
    /// The HTTP port of Dapr's API.
    pub http: u16,
    /// The port of the Prometheus metrics.
    pub metrics: u16,
}

impl Ports {
    /// Free ports, chosen by the system.
    pub(crate) const FREE: Self = Self { grpc: 0, http: 0, metrics: 0 };
}

/// The addresses of a sidecar.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Addresses {
    /// The gRPC address of Dapr's API.
    pub grpc: Endpoint,
    /// The HTTP address of Dapr's API.
    pub http: Endpoint,
    /// The address of the Prometheus metrics, if they are served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Endpoint>,
    /// The sockets of pluggable components.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub component_sockets: Vec<Endpoint>,
}

/// Writes the addresses file as JSON, atomically.
pub(super) fn write_addresses(config: &Config, addresses: &Addresses) -> Result<(), StartError> {
    let Some(path) = &config.addresses_file else { return Ok(()) };
    let unfinished = path.with_added_extension("unfinished");
    let json = serde_json::to_string(addresses).map_err(io::Error::from);
    json.and_then(|json| fs::write(&unfinished, json + "\n"))
        .and_then(|()| fs::rename(&unfinished, path))
        .map_err(|source| StartError::AddressesFile { path: path.clone(), source })
}

/// Removes the addresses file of an earlier run, which would list outdated addresses.
pub(super) fn remove_addresses(config: &Config) {
    if let Some(path) = &config.addresses_file {
        // Ignore errors: usually there is no file, and other errors recur when the file is written.
        let _ = fs::remove_file(path);
    }
}
