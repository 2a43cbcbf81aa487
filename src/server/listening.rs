//! Binds the addresses of the gRPC, HTTP and metrics servers.

use std::path::PathBuf;

use super::config::{Config, Ports};
use crate::net::{self, BindError, Interfaces, Listener};

/// Where to listen.
#[derive(Debug, Clone)]
pub(super) struct Listening {
    app_id: String,
    interfaces: Interfaces,
    ports: Ports,
    /// The folder for Unix sockets, which replace the gRPC and HTTP ports.
    sockets: Option<PathBuf>,
}

impl Listening {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            app_id: config.app_id.clone(),
            interfaces: config.interfaces.clone(),
            ports: config.ports,
            sockets: config.sockets.clone(),
        }
    }

    /// Binds the addresses of the program.
    pub(super) async fn bind(&self) -> Result<[Listener; 2], BindError> {
        let Ports { grpc, http, .. } = self.ports;
        let name = &self.app_id;
        let grpc = self.bind_api(name, "grpc", grpc, "--dapr-grpc-port").await?;
        Ok([grpc, self.bind_api(name, "http", http, "--dapr-http-port").await?])
    }

    /// Binds the addresses of the session with a number.
    pub(super) async fn bind_session(&self, number: u64) -> Result<[Listener; 2], BindError> {
        let name = format!("{}-session-{number}", self.app_id);
        let flag = "DELETE /mynah/v1/sessions/NAME";
        let grpc = self.bind_api(&name, "grpc", 0, flag).await?;
        Ok([grpc, self.bind_api(&name, "http", 0, flag).await?])
    }

    /// Binds an API's TCP port or its Unix socket. The socket has the same file name as daprd's.
    async fn bind_api(
        &self,
        name: &str,
        api: &str,
        port: u16,
        flag: &'static str,
    ) -> Result<Listener, BindError> {
        match &self.sockets {
            Some(folder) => {
                let path = folder.join(format!("dapr-{name}-{api}.socket"));
                net::bind_socket(&path, None, "--unix-domain-socket").await
            }
            None => net::bind(&self.interfaces, port, flag),
        }
    }

    /// Binds the metrics port. Failure causes only a warning: port 9090 is often taken, and mynah can
    /// serve calls without metrics.
    pub(super) fn bind_metrics(&self) -> Option<Listener> {
        net::bind(&self.interfaces, self.ports.metrics, "--metrics-port")
            .inspect_err(|error| tracing::warn!("no metrics: {error}"))
            .ok()
    }
}
