//! Listeners: binds them to addresses, and accepts connections.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use socket2::{Domain, Protocol, Type};
use thiserror::Error as ThisError;
use tokio::net::TcpListener;
#[cfg(not(unix))]
use tokio::net::TcpListener as UnixListener;
#[cfg(unix)]
use tokio::net::UnixListener;
use tokio_util::either::Either;

#[cfg(unix)]
use super::socket_file::SocketFile;
use super::transport::Stream;
use crate::base::endpoint::Endpoint;

/// The listening sockets of one surface.
#[derive(Debug)]
pub(crate) struct Listener {
    /// The first address.
    pub(crate) address: Endpoint,
    pub(crate) sockets: Vec<Socket>,
}

/// One listening socket, registered with the current runtime.
#[derive(Debug)]
pub(crate) struct Socket {
    /// The file is dropped first, so that it is never that of a closed socket, which another
    /// process may replace.
    #[cfg(unix)]
    file: Option<SocketFile>,
    listener: Either<TcpListener, UnixListener>,
}

impl Socket {
    fn tcp(listener: std::net::TcpListener) -> io::Result<Self> {
        let listener = Either::Left(TcpListener::from_std(listener)?);
        Ok(Self {
            #[cfg(unix)]
            file: None,
            listener,
        })
    }

    #[cfg(unix)]
    pub(super) fn unix(
        file: SocketFile,
        listener: std::os::unix::net::UnixListener,
    ) -> io::Result<Self> {
        Ok(Self { file: Some(file), listener: Either::Right(UnixListener::from_std(listener)?) })
    }

    /// Returns the next connection, not registered with any runtime.
    pub(super) async fn accept(&self) -> io::Result<Stream> {
        Ok(match &self.listener {
            Either::Left(listener) => Stream::Tcp(listener.accept().await?.0.into_std()?),
            #[cfg(unix)]
            Either::Right(listener) => Stream::Unix(listener.accept().await?.0.into_std()?),
            #[cfg(not(unix))]
            Either::Right(listener) => Stream::Tcp(listener.accept().await?.0.into_std()?),
        })
    }

    /// Keeps clients from opening further connections.
    pub(super) fn close(&mut self) {
        #[cfg(unix)]
        drop(self.file.take());
        #[cfg(target_os = "linux")]
        if let Either::Left(listener) = &self.listener {
            ignore_new_clients(listener);
        }
    }
}

/// Makes Linux ignore clients that try to connect.
///
/// Closing a listening socket resets the connections that are not accepted yet. With new clients
/// ignored, all can be accepted first. An ignored client tries again after a second, and is then
/// refused.
#[cfg(target_os = "linux")]
fn ignore_new_clients(listener: &TcpListener) {
    use socket2::{SockFilter, SockRef};

    const FLAGS: u32 = 13;
    const SYN: u32 = 0x02;
    const ACK: u32 = 0x10;
    // Classic BPF: drop TCP segments with SYN and without ACK. Connections inherit the filter, and
    // never receive such a segment.
    let filter = [
        SockFilter::new(0x30, 0, 0, FLAGS),     // A = flags
        SockFilter::new(0x54, 0, 0, SYN | ACK), // A &= SYN | ACK
        SockFilter::new(0x15, 0, 1, SYN),       // if A == SYN
        SockFilter::new(0x06, 0, 0, 0),         // drop
        SockFilter::new(0x06, 0, 0, u32::MAX),  // else keep all bytes
    ];
    if let Err(error) = SockRef::from(listener).attach_filter(&filter) {
        tracing::debug!(%error, "cannot ignore new clients");
    }
}

/// The error for an address that could not be bound.
#[derive(Debug, ThisError)]
#[error("cannot listen on {address}: {reason}; {remedy}")]
pub(crate) struct BindError {
    pub(super) address: Endpoint,
    pub(super) reason: String,
    pub(super) remedy: String,
}

#[cfg(not(unix))]
pub(crate) async fn bind_socket(
    path: &std::path::Path,
    _mode: Option<u32>,
    flag: &str,
) -> Result<Listener, BindError> {
    Err(BindError {
        address: Endpoint::Unix(path.to_owned()),
        reason: "this system does not support Unix sockets".to_owned(),
        remedy: format!("omit {flag}"),
    })
}

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
        _ if has_too_many_files(error) => "too many files are open".to_owned(),
        _ => error.to_string(),
    };
    let remedy = match error.kind() {
        _ if has_too_many_files(error) => "raise the limit with ulimit -n".to_owned(),
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
fn listen(address: SocketAddr) -> io::Result<std::net::TcpListener> {
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

/// Returns `true` if a limit of open files is reached.
fn has_too_many_files(error: &io::Error) -> bool {
    #[cfg(unix)]
    let limits = [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE].map(|it| it.raw_os_error());
    /// `WSAEMFILE` of Windows.
    #[cfg(not(unix))]
    let limits = [10024];
    error.raw_os_error().is_some_and(|code| limits.contains(&code))
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
