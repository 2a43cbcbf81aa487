//! Builds a [`Config`] from the flags and the environment.

use std::{net::IpAddr, time::Duration};

use thiserror::Error as ThisError;

use super::args::{NoDaprd, RecordArgs, ReplayMiss, ServeArgs, UpstreamApi};
use crate::{
    api::{
        access::{Access, ApiToken, InvalidToken},
        browser::Hosts,
    },
    base::{endpoint::Endpoint, environment::Environment, quantity},
    component::StandIn,
    net::Interfaces,
    server::{
        ComponentSockets, Config, Daprd, JournalConfig, MissedConfig, ModelSource, Ports,
        UpstreamConfig,
    },
};

/// daprd's variable for the folder of component sockets, and its default.
const COMPONENT_SOCKETS: &str = "DAPR_COMPONENTS_SOCKETS_FOLDER";
const DEFAULT_COMPONENT_SOCKETS: &str = "/tmp/dapr-components-sockets";
/// The memory must be enough for this number of bodies of the maximum size.
const MIN_BODIES: usize = 4;

/// An invalid value in a flag or an environment variable.
#[derive(Debug, ThisError)]
pub(super) enum ConfigError {
    /// The value of a variable is not a port.
    #[error("invalid value {value:?} for {variable}: expected a port, 0 to 65535")]
    Port {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// Echo would answer what no rule answers.
    #[error("--strict excludes --stand-in echo, which answers every call: use --stand-in scripted")]
    StrictEcho,
    /// A stand-in would answer instead of the model.
    #[error("--stand-in excludes --upstream: choose who answers for components with real models")]
    StandInUpstream,
    /// The models would answer instead of the recordings.
    #[error(
        "--replay excludes --upstream: nothing is passed on while recordings are replayed; to pass on \
         what is not recorded, add --record-missing"
    )]
    ReplayUpstream,
    /// The recorded answers would be replaced, not completed.
    #[error(
        "--record-missing excludes --record: it needs --replay, and adds what is not recorded to the \
         folder that is replayed"
    )]
    RecordMissing,
    /// There is no daprd.
    #[error(transparent)]
    NoDaprd(#[from] NoDaprd),
    /// The value is not a list of IP addresses.
    #[error(
        "invalid value {0:?} for --dapr-listen-addresses: expected IP addresses, \
         such as 127.0.0.1,::1"
    )]
    ListenAddresses(String),
    /// The value is not an address.
    #[error("invalid value {value:?} for {flag}: expected host:port, such as 127.0.0.1:50001")]
    Daprd {
        /// The flag.
        flag: &'static str,
        /// Its value.
        value: String,
    },
    /// Calls would be passed on to mynah itself without end.
    #[error(
        "invalid value {value:?} for {flag}: mynah itself listens there; choose other ports for \
         mynah with --dapr-grpc-port and --dapr-http-port"
    )]
    OwnAddress {
        /// The flag.
        flag: &'static str,
        /// Its value.
        value: String,
    },
    /// The value is not a size.
    #[error(
        "invalid value {value:?} for {flag}: expected a size, such as 4194304, 512Ki, 4Mi or 1G"
    )]
    Size {
        /// The flag.
        flag: &'static str,
        /// Its value.
        value: String,
    },
    /// The memory is too small for a few requests of the maximum size.
    #[error(
        "invalid value {value:?} for --max-memory: expected at least {MIN_BODIES} times \
         --max-body-size, which is {max_body_size:?}"
    )]
    MaxMemory {
        /// The value.
        value: String,
        /// The value of the other flag.
        max_body_size: String,
    },
    /// The value cannot be the name of a socket.
    #[error(
        "invalid value {0:?} for --component-socket: expected a name of letters, digits, '-' and '_'"
    )]
    ComponentSocket(String),
    /// The value is not a file mode.
    #[error("invalid value {0:?} for --component-socket-mode: expected an octal mode, such as 600")]
    Mode(String),
    /// The value is not a token. It is not shown, since it is a secret.
    #[error("invalid value of DAPR_API_TOKEN")]
    Token(#[from] InvalidToken),
}

/// Returns the ports set in the environment. The default is daprd's ports.
pub(super) fn default_ports(environment: &Environment) -> Result<Ports, ConfigError> {
    let port = |variable, default| match environment.get(variable).filter(|v| !v.is_empty()) {
        None => Ok(default),
        Some(value) => {
            value.parse().map_err(|_| ConfigError::Port { variable, value: value.to_owned() })
        }
    };
    Ok(Ports {
        grpc: port("DAPR_GRPC_PORT", 50001)?,
        http: port("DAPR_HTTP_PORT", 3500)?,
        metrics: 9090,
    })
}

/// Converts the flags. `ports` has the defaults for the ports.
pub(super) fn config(
    args: &ServeArgs,
    environment: &Environment,
    ports: Ports,
) -> Result<Config, ConfigError> {
    if args.strict && args.stand_in == Some(StandIn::Echo) {
        return Err(ConfigError::StrictEcho);
    }
    let addresses = args.dapr_listen_addresses.as_deref();
    let interfaces = interfaces(addresses.or_else(|| environment.get("MYNAH_LISTEN_ADDRESSES")))?;
    let is_local = args.unix_domain_socket.is_none() && interfaces.are_loopback();
    let hosts = Hosts {
        allowed: args.allowed_hosts.clone(),
        any_for_programs: !is_local && args.allowed_hosts.is_empty(),
    };
    let (max_body_size, max_memory) = sizes(args)?;
    let component_sockets = component_sockets(args, environment)?;
    let ports = Ports {
        grpc: args.dapr_grpc_port.unwrap_or(ports.grpc),
        http: args.dapr_http_port.unwrap_or(ports.http),
        metrics: args.metrics_port.unwrap_or(ports.metrics),
    };
    let own_ports = match args.unix_domain_socket {
        None => vec![ports.grpc, ports.http],
        Some(_) => Vec::new(),
    };
    let api_token = environment.get("DAPR_API_TOKEN").unwrap_or_default();
    environment.hide(api_token);
    let token = ApiToken::new(api_token)?;
    let daprd = Daprd {
        grpc: daprd("--daprd", args.daprd.as_deref(), &own_ports)?,
        http: daprd("--daprd-http", args.daprd_http.as_deref(), &own_ports)?,
    };
    let models = models(&args.record, args.stand_in, daprd.grpc.as_ref(), api_token)?;
    Ok(Config {
        access: Access { token, hosts },
        interfaces,
        app_id: args.app_id.clone(),
        resources_paths: args.resources_path.clone(),
        stand_in: args.stand_in,
        models,
        rules: args.rules.clone(),
        strict: args.strict,
        has_strict_history: args.strict_history,
        openai_component: args.openai_component.clone(),
        environment: environment.clone(),
        daprd,
        ports,
        sockets: args.unix_domain_socket.clone(),
        component_sockets,
        metrics: args.enable_metrics,
        has_inspector: args.inspector,
        max_body_size,
        max_memory,
        journal: JournalConfig { size: journal_size(args)?, file: args.journal.clone() },
        grace: Duration::from_secs(args.dapr_graceful_shutdown_seconds),
        addresses_file: args.addresses_file.clone(),
    })
}

/// Returns where the answers of real models come from, for a command that does not serve.
pub(super) fn checked_models(
    args: &RecordArgs,
    stand_in: Option<StandIn>,
    address: Option<&str>,
    environment: &Environment,
) -> Result<Option<ModelSource>, ConfigError> {
    let token = environment.get("DAPR_API_TOKEN").unwrap_or_default();
    models(args, stand_in, daprd("--daprd", address, &[])?.as_ref(), token)
}

/// Returns where the answers of real models come from.
fn models(
    args: &RecordArgs,
    stand_in: Option<StandIn>,
    daprd: Option<&Endpoint>,
    token: &str,
) -> Result<Option<ModelSource>, ConfigError> {
    if stand_in.is_some() && args.upstream.is_some() {
        return Err(ConfigError::StandInUpstream);
    }
    // clap does not require --replay here, because it excludes --record.
    if args.record_missing && args.record.is_some() {
        return Err(ConfigError::RecordMissing);
    }
    let with_daprd = |api: UpstreamApi| api.with_daprd(daprd.map(Endpoint::to_string), token);
    let api = args.upstream.map(with_daprd).transpose()?;
    let folder = args.record.as_ref().or(args.replay.as_ref().filter(|_| args.record_missing));
    let (record, records_errors) = (folder.cloned(), args.record_errors);
    let upstream = api.map(|api| UpstreamConfig { api, record, records_errors });
    let Some(folder) = args.replay.clone() else { return Ok(upstream.map(ModelSource::Upstream)) };
    let missed = match (upstream, args.replay_miss) {
        (Some(_), _) if !args.record_missing => return Err(ConfigError::ReplayUpstream),
        (Some(upstream), _) => MissedConfig::Upstream(upstream),
        (None, Some(ReplayMiss::Fallback)) => MissedConfig::Fallback,
        (None, _) => MissedConfig::Error,
    };
    Ok(Some(ModelSource::Replay { folder, missed }))
}

/// Checks the names and the mode of the component sockets. The folder is daprd's.
fn component_sockets(
    args: &ServeArgs,
    environment: &Environment,
) -> Result<ComponentSockets, ConfigError> {
    let is_name = |name: &str| {
        let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        !name.is_empty() && name.chars().all(is_valid)
    };
    if let Some(name) = args.component_socket.iter().find(|name| !is_name(name)) {
        return Err(ConfigError::ComponentSocket(name.clone()));
    }
    let text = &args.component_socket_mode;
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o777);
    let folder = environment.get(COMPONENT_SOCKETS).filter(|folder| !folder.is_empty());
    Ok(ComponentSockets {
        folder: folder.unwrap_or(DEFAULT_COMPONENT_SOCKETS).into(),
        names: args.component_socket.clone(),
        files: args.component_files.clone(),
        mode: mode.ok_or_else(|| ConfigError::Mode(text.clone()))?,
    })
}

/// Returns the address in a flag. mynah itself listens on its own ports.
fn daprd(
    flag: &'static str,
    address: Option<&str>,
    own_ports: &[u16],
) -> Result<Option<Endpoint>, ConfigError> {
    let Some(text) = address else { return Ok(None) };
    let value = text.to_owned();
    let Ok(endpoint @ Endpoint::Tcp { .. }) = text.parse::<Endpoint>() else {
        return Err(ConfigError::Daprd { flag, value });
    };
    let endpoint = endpoint.dialable();
    let is_local = ["localhost", "127.0.0.1", "::1"].iter().any(|host| endpoint.is_on(host));
    match endpoint.port() {
        None | Some(0) => Err(ConfigError::Daprd { flag, value }),
        Some(port) if is_local && own_ports.contains(&port) => {
            Err(ConfigError::OwnAddress { flag, value })
        }
        Some(_) => Ok(Some(endpoint)),
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
    addresses.split(',').map(parse).collect::<Result<_, _>>().map(Interfaces::Addresses)
}

/// Returns the size of the journal.
fn journal_size(args: &ServeArgs) -> Result<usize, ConfigError> {
    let text = &args.journal_size;
    let size = if text == "0" { Some(0) } else { quantity::parse(text) };
    size.ok_or_else(|| ConfigError::Size { flag: "--journal-size", value: text.clone() })
}

/// Returns the maximum size of a body, and that of all requests and responses.
fn sizes(args: &ServeArgs) -> Result<(usize, usize), ConfigError> {
    let size = |flag, value: &str| {
        quantity::parse(value).ok_or_else(|| ConfigError::Size { flag, value: value.to_owned() })
    };
    let max_body_size = size("--max-body-size", &args.max_body_size)?;
    let max_memory = size("--max-memory", &args.max_memory)?;
    if max_memory / MIN_BODIES < max_body_size {
        return Err(ConfigError::MaxMemory {
            value: args.max_memory.clone(),
            max_body_size: args.max_body_size.clone(),
        });
    }
    Ok((max_body_size, max_memory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_brackets_around_addresses_like_daprd() {
        let expected = vec!["::1".parse().unwrap(), "127.0.0.1".parse().unwrap()];
        assert_eq!(interfaces(Some("[::1],127.0.0.1")).unwrap(), Interfaces::Addresses(expected));
        assert!(interfaces(Some("localhost")).is_err());
        assert_eq!(interfaces(None).unwrap(), Interfaces::Loopback);
    }
}
