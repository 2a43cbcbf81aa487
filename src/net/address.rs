//! The address of a surface.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
};

use serde::{Serialize, Serializer};

/// The address that a surface listens on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    /// A TCP port.
    Port(SocketAddr),
    /// The absolute path of a Unix socket.
    Socket(PathBuf),
}

impl Address {
    /// Returns the endpoint that a client on this machine dials, in the form that Dapr's SDKs read.
    pub(crate) fn endpoint(&self) -> String {
        match self {
            Self::Port(address) => {
                format!("http://{}", SocketAddr::new(dialable(address.ip()), address.port()))
            }
            Self::Socket(_) => self.to_string(),
        }
    }

    /// Returns the port, or `None` for a Unix socket.
    pub(crate) fn port(&self) -> Option<u16> {
        match self {
            Self::Port(address) => Some(address.port()),
            Self::Socket(_) => None,
        }
    }
}

/// Replaces the unspecified address, which cannot be dialled, by loopback.
fn dialable(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(v4) if v4.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(v6) if v6.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Port(address) => address.fmt(f),
            Self::Socket(path) => write!(f, "unix://{}", path.display()),
        }
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_can_be_dialled() {
        let port = Address::Port("0.0.0.0:3500".parse().unwrap());
        assert_eq!(port.to_string(), "0.0.0.0:3500");
        assert_eq!(port.endpoint(), "http://127.0.0.1:3500");
        let socket = Address::Socket("/run/dapr-shop-grpc.socket".into());
        assert_eq!(socket.endpoint(), "unix:///run/dapr-shop-grpc.socket");
    }
}
