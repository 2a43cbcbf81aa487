//! Binding addresses.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
};

use socket2::{Domain, Protocol, Socket, Type};
use thiserror::Error as ThisError;

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1024;
/// Ports tried until one is free on every interface.
const TRIES: usize = 16;

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Interfaces {
    /// 127.0.0.1, and ::1 where the machine has it: what clients mean by `localhost`.
    Loopback,
    /// These, all of them.
    These(Vec<IpAddr>),
}

/// Sockets that listen on one port.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) sockets: Vec<TcpListener>,
}

/// An address that cannot be listened on.
#[derive(Debug, ThisError)]
#[error("cannot listen on {address}: {}; {flag} sets the port, 0 takes any that is free", reason(.error))]
pub struct BindError {
    address: SocketAddr,
    flag: &'static str,
    error: io::Error,
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => "the port is in use".to_owned(),
        io::ErrorKind::PermissionDenied => "the port is reserved".to_owned(),
        io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
        _ => error.to_string(),
    }
}

impl Interfaces {
    /// Whether only this machine can reach them.
    pub fn are_loopback(&self) -> bool {
        match self {
            Self::Loopback => true,
            Self::These(addresses) => addresses.iter().all(IpAddr::is_loopback),
        }
    }
}

impl Listener {
    /// The first of its addresses.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.sockets.first().and_then(|socket| socket.local_addr().ok())
    }
}

/// Listens on `port` of every interface; port 0 is any that is free on all of them.
pub(crate) fn bind(
    interfaces: &Interfaces,
    port: u16,
    flag: &'static str,
) -> Result<Listener, BindError> {
    let mut tries = if port == 0 { TRIES } else { 1 };
    loop {
        tries -= 1;
        match bind_all(interfaces, port) {
            Err((_, error)) if tries > 0 && error.kind() == io::ErrorKind::AddrInUse => {}
            Err((address, error)) => return Err(BindError { address, flag, error }),
            Ok(sockets) => return Ok(Listener { sockets }),
        }
    }
}

fn bind_all(
    interfaces: &Interfaces,
    mut port: u16,
) -> Result<Vec<TcpListener>, (SocketAddr, io::Error)> {
    let loopback = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let (addresses, all_needed) = match interfaces {
        Interfaces::Loopback => (loopback.as_slice(), false),
        Interfaces::These(addresses) => (addresses.as_slice(), true),
    };
    let mut sockets = Vec::new();
    for ip in addresses {
        let address = SocketAddr::new(*ip, port);
        match listen(address) {
            Ok(socket) => {
                port = socket.local_addr().map_or(port, |bound| bound.port());
                sockets.push(socket);
            }
            Err(error) if ip.is_ipv6() && !all_needed && is_missing(&error) => {
                tracing::debug!(%address, %error, "not listening: the machine has no IPv6");
            }
            Err(error) => return Err((address, error)),
        }
    }
    Ok(sockets)
}

/// Not `SO_REUSEPORT`: a second mynah on the port must fail, not share it.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
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

/// The machine does not speak that family, or has no such address.
fn is_missing(error: &io::Error) -> bool {
    const EAFNOSUPPORT: i32 = 97;
    error.kind() == io::ErrorKind::AddrNotAvailable || error.raw_os_error() == Some(EAFNOSUPPORT)
}
