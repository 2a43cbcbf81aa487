use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
};

use serde::{Serialize, Serializer};

/// Where a surface listens.
///
/// ```
/// use mynah::net::Address;
/// let port = Address::Port("0.0.0.0:3500".parse()?);
/// assert_eq!(port.to_string(), "0.0.0.0:3500");
/// assert_eq!(port.endpoint(), "http://127.0.0.1:3500");
/// let socket = Address::Socket("/run/dapr-shop-grpc.socket".into());
/// assert_eq!(socket.endpoint(), "unix:///run/dapr-shop-grpc.socket");
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A port of an interface.
    Port(SocketAddr),
    /// A Unix socket, by its absolute path.
    Socket(PathBuf),
}

impl Address {
    /// What a client on this machine dials, as Dapr's SDKs read it.
    pub fn endpoint(&self) -> String {
        match self {
            Self::Port(address) => {
                format!("http://{}", SocketAddr::new(near(address.ip()), address.port()))
            }
            Self::Socket(_) => self.to_string(),
        }
    }

    /// The port, unless this is a socket.
    pub fn port(&self) -> Option<u16> {
        match self {
            Self::Port(address) => Some(address.port()),
            Self::Socket(_) => None,
        }
    }
}

/// An address that can be dialled: "all interfaces" is none.
fn near(ip: IpAddr) -> IpAddr {
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
