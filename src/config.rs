//! What the program uses, made from what the user wrote.

use std::{net::IpAddr, path::PathBuf, time::Duration};

use thiserror::Error as ThisError;

use crate::{
    access::{Access, ApiToken},
    cli::{Environment, ServeArgs},
    net::Interfaces,
};

/// How one sidecar runs.
#[derive(Debug, Clone)]
pub struct Config {
    /// Id of the application beside it.
    pub app_id: String,
    /// Folders of component YAML; none means one built-in echo.
    pub resources_paths: Vec<PathBuf>,
    /// Where to listen.
    pub interfaces: Interfaces,
    /// gRPC port; 0 is any that is free.
    pub grpc_port: u16,
    /// HTTP port; 0 is any that is free.
    pub http_port: u16,
    /// Metrics port; `None` serves no metrics.
    pub metrics_port: Option<u16>,
    /// Most bytes of a message, either way.
    pub max_body_size: usize,
    /// Time that calls in flight have to finish.
    pub grace: Duration,
    /// Who may call.
    pub access: Access,
    /// File that the addresses are written to, as JSON.
    pub addresses_file: Option<PathBuf>,
}

/// A flag whose value cannot be used.
#[derive(Debug, ThisError)]
pub enum ConfigError {
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

impl Config {
    /// Checks what the user wrote.
    pub fn new(args: &ServeArgs, environment: Environment) -> Result<Self, ConfigError> {
        let interfaces = interfaces(args.dapr_listen_addresses.as_deref())?;
        let browser_hosts = interfaces.are_loopback().then(|| args.allowed_hosts.clone());
        let token = environment.api_token.and_then(ApiToken::new);
        Ok(Self {
            access: Access { token, browser_hosts },
            interfaces,
            app_id: args.app_id.clone(),
            resources_paths: args.resources_path.clone(),
            grpc_port: args.dapr_grpc_port,
            http_port: args.dapr_http_port,
            metrics_port: args.enable_metrics.then_some(args.metrics_port),
            max_body_size: quantity(&args.max_body_size)?,
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

/// A Kubernetes quantity in whole bytes, as daprd reads it.
fn quantity(text: &str) -> Result<usize, ConfigError> {
    const UNITS: [(&str, usize); 7] = [
        ("Ki", 1 << 10),
        ("Mi", 1 << 20),
        ("Gi", 1 << 30),
        ("k", 1_000),
        ("M", 1_000_000),
        ("G", 1_000_000_000),
        ("", 1),
    ];
    let parse = |(unit, bytes): &(&str, usize)| {
        let number = text.strip_suffix(unit)?.parse::<usize>().ok()?;
        number.checked_mul(*bytes).filter(|size| *size > 0)
    };
    UNITS.iter().find_map(parse).ok_or_else(|| ConfigError::MaxBodySize(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_as_kubernetes_writes_them() {
        let cases =
            [("4Mi", 4_194_304), ("4194304", 4_194_304), ("512Ki", 524_288), ("1G", 1_000_000_000)];
        for (text, bytes) in cases {
            assert_eq!(quantity(text).unwrap(), bytes, "{text}");
        }
    }

    #[test]
    fn what_is_no_quantity_is_refused() {
        for text in ["", "0", "-1", "4MB", "Mi", "1.5Mi", "99999999999999999999"] {
            assert!(quantity(text).is_err(), "{text}");
        }
    }

    #[test]
    fn addresses_may_have_brackets_as_daprd_writes_them() {
        let expected = vec!["::1".parse().unwrap(), "127.0.0.1".parse().unwrap()];
        assert_eq!(interfaces(Some("[::1],127.0.0.1")).unwrap(), Interfaces::These(expected));
        assert!(interfaces(Some("localhost")).is_err());
        assert_eq!(interfaces(None).unwrap(), Interfaces::Loopback);
    }
}
