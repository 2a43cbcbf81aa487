//! What the program uses, made from what the user wrote.

use std::{net::IpAddr, path::PathBuf, time::Duration};

use thiserror::Error as ThisError;

use crate::{
    api::access::{Access, ApiToken},
    base::{environment::Environment, quantity},
    cli::args::ServeArgs,
    component::StandIn,
    net::Interfaces,
};

/// How one sidecar runs.
#[derive(Debug, Clone)]
pub struct Config {
    /// Id of the application beside it.
    pub app_id: String,
    /// Folders of component YAML; none means one built-in echo.
    pub resources_paths: Vec<PathBuf>,
    /// What answers for component types that mynah does not know; `None` makes them problems.
    pub stand_in: Option<StandIn>,
    /// What components may refer to.
    pub environment: Environment,
    /// Where to listen.
    pub interfaces: Interfaces,
    /// The ports, unless `sockets` are wanted.
    pub ports: Ports,
    /// Folder to make Unix sockets in, in the place of the gRPC and HTTP ports.
    pub sockets: Option<PathBuf>,
    /// Whether to serve metrics.
    pub metrics: bool,
    /// Most bytes of a message, either way.
    pub max_body_size: usize,
    /// Time that calls in flight have to finish.
    pub grace: Duration,
    /// Who may call.
    pub access: Access,
    /// File that the addresses are written to, as JSON.
    pub addresses_file: Option<PathBuf>,
}

/// The ports to listen on; 0 is any that is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    /// Dapr's API over gRPC.
    pub grpc: u16,
    /// Dapr's API over HTTP.
    pub http: u16,
    /// Prometheus metrics.
    pub metrics: u16,
}

/// A value that cannot be used, of a flag or of the environment.
#[derive(Debug, ThisError)]
pub enum ConfigError {
    /// Not a port.
    #[error("invalid value {value:?} of {variable} in the environment: write a port, 0 to 65535")]
    Port {
        /// The variable.
        variable: &'static str,
        /// What it says.
        value: String,
    },
    /// Not addresses.
    #[error(
        "invalid value {0:?} for --dapr-listen-addresses: not an IP address; \
         write addresses with commas between them, such as 127.0.0.1,::1"
    )]
    ListenAddresses(String),
    /// Not a size.
    #[error(
        "invalid value {0:?} for --max-body-size: write bytes or a quantity, such as 4194304, 512Ki, 4Mi or 1G"
    )]
    MaxBodySize(String),
}

impl Ports {
    /// Any that are free.
    pub const FREE: Self = Self { grpc: 0, http: 0, metrics: 0 };

    /// Those of daprd, unless the environment names others.
    pub fn of_daprd(environment: &Environment) -> Result<Self, ConfigError> {
        let port =
            |variable, usual| match environment.get(variable).filter(|value| !value.is_empty()) {
                None => Ok(usual),
                Some(value) => value
                    .parse()
                    .map_err(|_| ConfigError::Port { variable, value: value.to_owned() }),
            };
        Ok(Self {
            grpc: port("DAPR_GRPC_PORT", 50001)?,
            http: port("DAPR_HTTP_PORT", 3500)?,
            metrics: 9090,
        })
    }
}

impl Config {
    /// Checks what the user wrote. `ports` are those that no flag names.
    pub fn new(
        args: &ServeArgs,
        environment: &Environment,
        ports: Ports,
    ) -> Result<Self, ConfigError> {
        let interfaces = interfaces(args.dapr_listen_addresses.as_deref())?;
        // No browser calls a Unix socket.
        let is_local = args.unix_domain_socket.is_none() && interfaces.are_loopback();
        let browser_hosts = is_local.then(|| args.allowed_hosts.clone());
        let token = environment.get("DAPR_API_TOKEN").and_then(ApiToken::new);
        Ok(Self {
            access: Access { token, browser_hosts },
            interfaces,
            app_id: args.app_id.clone(),
            resources_paths: args.resources_path.clone(),
            stand_in: args.stand_in,
            environment: environment.clone(),
            ports: Ports {
                grpc: args.dapr_grpc_port.unwrap_or(ports.grpc),
                http: args.dapr_http_port.unwrap_or(ports.http),
                metrics: args.metrics_port.unwrap_or(ports.metrics),
            },
            sockets: args.unix_domain_socket.clone(),
            metrics: args.enable_metrics,
            max_body_size: max_body_size(&args.max_body_size)?,
            grace: Duration::from_secs(args.dapr_graceful_shutdown_seconds),
            addresses_file: args.addresses_file.clone(),
        })
    }
}

fn interfaces(addresses: Option<&str>) -> Result<Interfaces, ConfigError> {
    let Some(addresses) = addresses else {
        return Ok(Interfaces::Loopback);
    };
    let parse = |text: &str| {
        let bare = text.trim().trim_start_matches('[').trim_end_matches(']');
        bare.parse::<IpAddr>().map_err(|_| ConfigError::ListenAddresses(text.to_owned()))
    };
    addresses.split(',').map(parse).collect::<Result<_, _>>().map(Interfaces::These)
}

fn max_body_size(text: &str) -> Result<usize, ConfigError> {
    quantity::parse(text).ok_or_else(|| ConfigError::MaxBodySize(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_may_have_brackets_as_daprd_writes_them() {
        let expected = vec!["::1".parse().unwrap(), "127.0.0.1".parse().unwrap()];
        assert_eq!(interfaces(Some("[::1],127.0.0.1")).unwrap(), Interfaces::These(expected));
        assert!(interfaces(Some("localhost")).is_err());
        assert_eq!(interfaces(None).unwrap(), Interfaces::Loopback);
    }
}
