//! Server addresses.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
    str::FromStr,
};

use http::Uri;
use serde::{Serialize, Serializer};
use thiserror::Error as ThisError;

/// An address that a server listens on or a client connects to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A TCP port on a host.
    Tcp {
        /// A host name or an IP address, without brackets.
        host: String,
        /// The port.
        port: u16,
    },
    /// The path of a Unix socket.
    Unix(PathBuf),
}

/// The reason why a text is not a valid endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
pub enum EndpointError {
    /// Neither a host with a port nor the URL of a socket.
    #[error("expected host:port, http://host:port or unix:///path")]
    Invalid,
    /// A URL with TLS.
    #[error("TLS is not supported; expected http://host:port")]
    Tls,
}

impl Endpoint {
    /// Returns the port, or `None` for a Unix socket.
    pub fn port(&self) -> Option<u16> {
        match self {
            Self::Tcp { port, .. } => Some(*port),
            Self::Unix(_) => None,
        }
    }

    /// Returns `true` if the endpoint is a port of this host.
    pub fn is_on(&self, name: &str) -> bool {
        matches!(self, Self::Tcp { host, .. } if host == name)
    }

    /// Returns the URL, `http://host:port` or `unix:path`, as gRPC clients and Dapr's SDKs expect
    /// it.
    pub fn url(&self) -> String {
        match self {
            Self::Tcp { .. } => format!("http://{self}"),
            Self::Unix(_) => self.to_string(),
        }
    }

    /// Replaces an unspecified IP address, which clients cannot connect to, with loopback.
    pub fn dialable(&self) -> Self {
        let Self::Tcp { host, port } = self else { return self.clone() };
        match host.parse::<IpAddr>() {
            Ok(IpAddr::V4(ip)) if ip.is_unspecified() => {
                SocketAddr::new(Ipv4Addr::LOCALHOST.into(), *port).into()
            }
            Ok(IpAddr::V6(ip)) if ip.is_unspecified() => {
                SocketAddr::new(Ipv6Addr::LOCALHOST.into(), *port).into()
            }
            _ => self.clone(),
        }
    }
}

impl From<SocketAddr> for Endpoint {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp { host: address.ip().to_string(), port: address.port() }
    }
}

/// Parses `host:port`, `http://host:port`, `dns:host:port` or `unix:path`.
impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        if text.starts_with("https:") || text.ends_with("?tls=true") {
            return Err(EndpointError::Tls);
        }
        if let Some(path) = text.strip_prefix("unix:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            let is_path = !path.trim_start_matches('/').is_empty();
            return is_path.then(|| Self::Unix(path.into())).ok_or(EndpointError::Invalid);
        }
        let prefixes = ["http://", "dns:///", "dns:"];
        let host = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text);
        let url = format!("http://{}", host.trim_end_matches('/'));
        let uri = url.parse::<Uri>().map_err(|_| EndpointError::Invalid)?;
        match (uri.host(), uri.port_u16()) {
            (Some(host), Some(port)) if uri.path() == "/" && uri.query().is_none() => {
                Ok(Self::Tcp { host: host.trim_matches(['[', ']']).to_owned(), port })
            }
            _ => Err(EndpointError::Invalid),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Unix(path) if path.is_absolute() => write!(f, "unix://{}", path.display()),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl Serialize for Endpoint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_every_form() {
        let cases = [
            ("localhost:50001", "http://localhost:50001"),
            ("http://127.0.0.1:50001/", "http://127.0.0.1:50001"),
            ("[::1]:50001", "http://[::1]:50001"),
            ("dns:sidecar:50001", "http://sidecar:50001"),
            ("dns:///sidecar:50001", "http://sidecar:50001"),
            ("unix:///tmp/dapr.socket", "unix:///tmp/dapr.socket"),
            ("unix:dapr.socket", "unix:dapr.socket"),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<Endpoint>().unwrap().url(), expected, "{text}");
        }
    }

    #[test]
    fn rejects_invalid_addresses() {
        let invalid = ["", "localhost", "http://", "a b:1", "127.0.0.1:port", "127.0.0.1:70000"];
        for text in
            invalid.into_iter().chain(["ftp://host:1", "host:1/path", "host:1?q", "unix://"])
        {
            assert_eq!(text.parse::<Endpoint>(), Err(EndpointError::Invalid), "{text}");
        }
        for text in ["https://host:443", "http://host:443?tls=true"] {
            assert_eq!(text.parse::<Endpoint>(), Err(EndpointError::Tls), "{text}");
        }
    }

    #[test]
    fn dialable_replaces_the_unspecified_address_with_loopback() {
        let cases = [
            ("0.0.0.0:3500", "127.0.0.1:3500"),
            ("[::]:3500", "[::1]:3500"),
            ("10.0.0.7:3500", "10.0.0.7:3500"),
        ];
        for (bound, expected) in cases {
            let bound = Endpoint::from(bound.parse::<SocketAddr>().unwrap());
            assert_eq!(bound.dialable().to_string(), expected, "{bound}");
        }
        let socket = Endpoint::Unix("/run/dapr-shop-grpc.socket".into());
        assert_eq!(socket.dialable().url(), "unix:///run/dapr-shop-grpc.socket");
    }
}
