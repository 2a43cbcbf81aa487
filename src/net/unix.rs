//! Binds Unix sockets.

use std::{
    fs::{self, File},
    io,
    os::{
        fd::OwnedFd,
        unix::{
            fs::{FileTypeExt, PermissionsExt},
            net::{UnixListener, UnixStream},
        },
    },
    path::{Path, PathBuf, absolute},
};

use socket2::{Domain, SockAddr, Type};

use super::{
    listener::{BindError, Listener, Socket},
    socket_file::SocketFile,
};
use crate::base::endpoint::Endpoint;

/// Maximum number of connections waiting to be accepted.
const BACKLOG: i32 = 1024;

/// Listens on a Unix socket and replaces a stale socket file. `mode` sets the permissions of the file.
/// `flag` is the setting that chooses another folder.
pub(crate) fn bind_socket(
    path: &Path,
    mode: Option<u32>,
    flag: &str,
) -> Result<Listener, BindError> {
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    let address = Endpoint::Unix(path.clone());
    match listen(path, mode) {
        Ok(socket) => Ok(Listener { address, sockets: vec![socket] }),
        Err(error) => Err(bind_error(address, flag, &error)),
    }
}

fn bind_error(address: Endpoint, flag: &str, error: &io::Error) -> BindError {
    let reason = match error.kind() {
        io::ErrorKind::AddrInUse => "the socket is in use".to_owned(),
        io::ErrorKind::NotFound => "the folder does not exist".to_owned(),
        io::ErrorKind::InvalidInput => "the path is too long for a socket".to_owned(),
        _ => error.to_string(),
    };
    let remedy = format!("choose another folder with {flag}");
    BindError { address, reason, remedy }
}

fn listen(path: PathBuf, mode: Option<u32>) -> io::Result<Socket> {
    // Otherwise two processes could find the same stale socket, and the second would remove the
    // socket that the first has put in its place.
    let _lock = path.parent().and_then(lock);
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
    Ok(Socket::Unix(file, UnixListener::from(OwnedFd::from(socket))))
}

/// Locks a folder until the file is dropped. Returns `None` if its file system has no locks.
fn lock(folder: &Path) -> Option<File> {
    let folder = File::open(folder).ok()?;
    folder.lock().ok()?;
    Some(folder)
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
    match UnixStream::connect(path) {
        Ok(_) => Err(io::ErrorKind::AddrInUse.into()),
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
