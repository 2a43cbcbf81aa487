//! Binds Unix sockets.

use std::{
    fs::{self, File},
    io,
    os::{
        fd::OwnedFd,
        unix::{
            fs::{FileTypeExt, PermissionsExt},
            net::UnixListener,
        },
    },
    path::{Path, PathBuf, absolute},
    time::Duration,
};

use socket2::{Domain, SockAddr, Type};

use super::{
    listener::{BindError, Listener, Socket},
    socket_file::SocketFile,
};
use crate::base::{
    clock::{self, Moment},
    endpoint::Endpoint,
    file_lock::{FileLock, InUse},
};

/// Maximum number of connections waiting to be accepted.
const BACKLOG: i32 = 1024;
/// Time for another process to release the lock on a folder, which it has while it binds a socket.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// Listens on a Unix socket and replaces a stale socket file. `mode` sets the permissions of the file.
/// `flag` is the setting that chooses another folder.
pub(crate) async fn bind_socket(
    path: &Path,
    mode: Option<u32>,
    flag: &str,
) -> Result<Listener, BindError> {
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    let address = Endpoint::Unix(path.clone());
    match listen(path, mode).await {
        Ok(socket) => Ok(Listener { address, sockets: vec![socket] }),
        Err(error) => Err(bind_error(address, flag, &error)),
    }
}

fn bind_error(address: Endpoint, flag: &str, error: &io::Error) -> BindError {
    let reason = match error.kind() {
        io::ErrorKind::AddrInUse => "the socket is in use".to_owned(),
        io::ErrorKind::NotFound => "the folder does not exist".to_owned(),
        io::ErrorKind::ResourceBusy => "another process has locked the folder".to_owned(),
        io::ErrorKind::InvalidInput => "the path is too long for a socket".to_owned(),
        _ => error.to_string(),
    };
    let remedy = format!("choose another folder with {flag}");
    BindError { address, reason, remedy }
}

async fn listen(path: PathBuf, mode: Option<u32>) -> io::Result<Socket> {
    // Otherwise two processes could find the same stale socket, and the second would remove the
    // socket that the first has put in its place.
    let _lock = match path.parent() {
        Some(folder) => lock(folder).await?,
        None => None,
    };
    remove_stale(&path)?;
    let socket = socket2::Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.bind(&SockAddr::unix(&path)?)?;
    // Before listening, so that nobody can connect with other permissions.
    if let Some(mode) = mode {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
    }
    let file = SocketFile::new(path)?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Socket::unix(file, UnixListener::from(OwnedFd::from(socket)))
}

/// Locks a folder until the lock is dropped. Returns `None` if the folder cannot be opened.
async fn lock(folder: &Path) -> io::Result<Option<FileLock>> {
    let end = Moment::after(LOCK_TIMEOUT);
    loop {
        let Ok(file) = File::open(folder) else { return Ok(None) };
        match FileLock::try_new(file) {
            Ok(lock) => return Ok(Some(lock)),
            Err(InUse) if end.is_none_or(|end| end.remaining().is_zero()) => {
                return Err(io::ErrorKind::ResourceBusy.into());
            }
            Err(InUse) => clock::pause(RETRY_INTERVAL).await,
        }
    }
}

/// Removes the socket file that a killed process has left behind.
fn remove_stale(path: &Path) -> io::Result<()> {
    let is_socket = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?.file_type().is_socket(),
    };
    if !is_socket {
        return Err(io::Error::other("the file exists and is not a socket"));
    }
    match connect(path) {
        Ok(()) => Err(io::ErrorKind::AddrInUse.into()),
        Err(error) => match error.kind() {
            io::ErrorKind::ConnectionRefused => fs::remove_file(path),
            // The other process has just removed it.
            io::ErrorKind::NotFound => Ok(()),
            // Its queue of connections is full.
            io::ErrorKind::WouldBlock => Err(io::ErrorKind::AddrInUse.into()),
            _ => Err(error),
        },
    }
}

/// Connects to a socket. Does not wait for a server whose queue of connections is full.
fn connect(path: &Path) -> io::Result<()> {
    let socket = socket2::Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.connect(&SockAddr::unix(path)?)
}
