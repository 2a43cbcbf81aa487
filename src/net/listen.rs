//! Binding addresses.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
};

use socket2::{Domain, Protocol, Type};

use super::{Address, BindError, Listener, Socket};

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1024;
/// Ports tried until one is free on every interface.
const TRIES: usize = 16;
const LOOPBACK: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Interfaces {
    /// 127.0.0.1, and ::1 where the machine has it: what clients mean by `localhost`.
    Loopback,
    /// These, all of them.
    These(Vec<IpAddr>),
}

impl Interfaces {
    /// Whether only this machine can reach them.
    pub fn are_loopback(&self) -> bool {
        match self {
            Self::Loopback => true,
            Self::These(addresses) => addresses.iter().all(IpAddr::is_loopback),
        }
    }

    fn addresses(&self) -> &[IpAddr] {
        match self {
            Self::Loopback => &LOOPBACK,
            Self::These(addresses) => addresses,
        }
    }

    fn can_do_without(&self, ip: IpAddr) -> bool {
        *self == Self::Loopback && ip.is_ipv6()
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
            Err((address, error)) => return Err(bind_error(address, flag, &error)),
            Ok((address, sockets)) => {
                return Ok(Listener { address: Address::Port(address), sockets });
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
    let remedy = format!("{flag} sets the port, 0 takes any that is free");
    BindError { address: Address::Port(address), reason, remedy }
}

/// The first address, and the sockets of all.
fn bind_all(
    interfaces: &Interfaces,
    mut port: u16,
) -> Result<(SocketAddr, Vec<Socket>), (SocketAddr, io::Error)> {
    let (mut first, mut sockets) = (None, Vec::new());
    for ip in interfaces.addresses() {
        let address = SocketAddr::new(*ip, port);
        match listen(address).and_then(|socket| Ok((socket.local_addr()?, socket))) {
            Ok((bound, socket)) => {
                port = bound.port();
                first.get_or_insert(bound);
                sockets.push(Socket::Tcp(socket));
            }
            Err(error) if interfaces.can_do_without(*ip) && is_missing(&error) => {
                tracing::debug!(%address, %error, "not listening: the machine has no IPv6");
            }
            Err(error) => return Err((address, error)),
        }
    }
    let nowhere = || (SocketAddr::new(LOOPBACK[0], port), io::ErrorKind::AddrNotAvailable.into());
    Ok((first.ok_or_else(nowhere)?, sockets))
}

/// Not `SO_REUSEPORT`: a second mynah on the port must fail, not share it.
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

/// The machine does not speak that family, or has no such address.
fn is_missing(error: &io::Error) -> bool {
    const EAFNOSUPPORT: i32 = 97;
    error.kind() == io::ErrorKind::AddrNotAvailable || error.raw_os_error() == Some(EAFNOSUPPORT)
}
