//! The addresses of a sidecar, and the file that lists them.

use std::{fs, io};

use serde::Serialize;

use super::{config::Config, error::StartError};
use crate::base::endpoint::Endpoint;

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
pub(super) fn write(config: &Config, addresses: &Addresses) -> Result<(), StartError> {
    let Some(path) = &config.addresses_file else { return Ok(()) };
    let unfinished = path.with_added_extension("unfinished");
    let json = serde_json::to_string(addresses).map_err(io::Error::from);
    json.and_then(|json| fs::write(&unfinished, json + "\n"))
        .and_then(|()| fs::rename(&unfinished, path))
        .map_err(|source| StartError::AddressesFile { path: path.clone(), source })
}

/// Removes the addresses file of an earlier run, which would list outdated addresses.
pub(super) fn remove(config: &Config) {
    if let Some(path) = &config.addresses_file {
        // Ignore errors: usually there is no file, and other errors recur when the file is written.
        let _ = fs::remove_file(path);
    }
}
