//! Binds TCP ports.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
};

use socket2::{Domain, Protocol, Type};

use super::{BindError, Listener, Socket};

/// Maximum number of connections waiting to be accepted.
const BACKLOG: i32 = 1024;
/// Maximum number of attempts to find a port that is free on every interface.
const ATTEMPTS: usize = 16;
const LOOPBACK: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// The interfaces to listen on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Interfaces {
    /// 127.0.0.1, and ::1 if the machine has IPv6: the addresses that `localhost` resolves to.
    Loopback,
    /// These addresses, all of which must exist.
    Addresses(Vec<IpAddr>),
}

impl Interfaces {
    /// Returns `true` if only this machine can connect.
    pub(crate) fn are_loopback(&self) -> bool {
        match self {
            Self::Loopback => true,
            Self::Addresses(addresses) => addresses.iter().all(IpAddr::is_loopback),
        }
    }

    fn addresses(&self) -> &[IpAddr] {
        match self {
            Self::Loopback => &LOOPBACK,
            Self::Addresses(addresses) => addresses,
        }
    }

    /// Returns `true` if the machine may lack this address.
    fn is_optional(&self, ip: IpAddr) -> bool {
        *self == Self::Loopback && ip.is_ipv6()
    }
}

/// Listens on `port` on every interface. Port 0 selects a port that is free on all of them.
pub(crate) fn bind(
    interfaces: &Interfaces,
    port: u16,
    flag: &'static str,
) -> Result<Listener, BindError> {
    let mut attempts = if port == 0 { ATTEMPTS } else { 1 };
    loop {
        attempts -= 1;
        match bind_all(interfaces, port) {
            Err((_, error)) if attempts > 0 && error.kind() == io::ErrorKind::AddrInUse => {}
            Err((address, error)) => return Err(bind_error(address, flag, &error)),
            Ok((address, sockets)) => {
                return Ok(Listener { address: address.into(), sockets });
            }
        }
    }
}

fn bind_error(address: SocketAddr, flag: &str, error: &io::Error) -> BindError {
    let reason = match error.kind() {
        io::ErrorKind::AddrInUse => "the port is in use".to_owned(),
        io::ErrorKind::PermissionDenied => "the port is reserved".to_owned(),
        io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
        _ => error.to_string(),
    };
    let remedy = match error.kind() {
        io::ErrorKind::AddrNotAvailable => "check --dapr-listen-addresses".to_owned(),
        _ => format!("choose another port with {flag} (0 picks a free one)"),
    };
    BindError { address: address.into(), reason, remedy }
}

/// Listens on every interface. Returns the first bound address and all the sockets.
fn bind_all(
    interfaces: &Interfaces,
    mut port: u16,
) -> Result<(SocketAddr, Vec<Socket>), (SocketAddr, io::Error)> {
    let (mut first, mut sockets) = (None, Vec::new());
    for ip in interfaces.addresses() {
        let address = SocketAddr::new(*ip, port);
        match listen(address).and_then(|socket| Ok((socket.local_addr()?, Socket::tcp(socket)?))) {
            Ok((bound, socket)) => {
                port = bound.port();
                first.get_or_insert(bound);
                sockets.push(socket);
            }
            Err(error) if interfaces.is_optional(*ip) && is_missing(&error) => {
                tracing::debug!(%address, %error, "not listening: the machine has no IPv6");
            }
            Err(error) => return Err((address, error)),
        }
    }
    let no_address =
        || (SocketAddr::new(LOOPBACK[0], port), io::ErrorKind::AddrNotAvailable.into());
    Ok((first.ok_or_else(no_address)?, sockets))
}

/// Listens on one address without `SO_REUSEPORT`, so that a second mynah on the same port fails
/// instead of sharing the port.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let domain = Domain::for_address(address);
    let socket = socket2::Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    if cfg!(unix) {
        socket.set_reuse_address(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Returns `true` if the machine lacks the address or its whole address family.
fn is_missing(error: &io::Error) -> bool {
    #[cfg(unix)]
    let unsupported = rustix::io::Errno::AFNOSUPPORT.raw_os_error();
    /// `WSAEAFNOSUPPORT` of Windows.
    #[cfg(not(unix))]
    let unsupported = 10047;
    error.kind() == io::ErrorKind::AddrNotAvailable || error.raw_os_error() == Some(unsupported)
}
