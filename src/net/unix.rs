//! Listening on Unix sockets.

use std::{
    fs, io,
    os::unix::{
        fs::FileTypeExt,
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf, absolute},
};

use super::{Address, BindError, Listener, Socket};

/// A socket's file, which goes when its listener goes.
#[derive(Debug)]
pub(crate) struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Somebody else may have taken it away.
        let _ = fs::remove_file(&self.0);
    }
}

/// Listens on a Unix socket; one that nobody listens on any more is replaced.
pub(crate) fn bind_socket(path: &Path) -> Result<Listener, BindError> {
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    let address = Address::Socket(path.clone());
    match listen(path) {
        Ok(socket) => Ok(Listener { address, sockets: vec![socket] }),
        Err(error) => Err(bind_error(address, &error)),
    }
}

fn bind_error(address: Address, error: &io::Error) -> BindError {
    let reason = match error.kind() {
        io::ErrorKind::AddrInUse => "the socket is in use".to_owned(),
        io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        _ => error.to_string(),
    };
    BindError { address, reason, remedy: "--unix-domain-socket names the folder".to_owned() }
}

fn listen(path: PathBuf) -> io::Result<Socket> {
    remove_stale(&path)?;
    let socket = UnixListener::bind(&path)?;
    let file = SocketFile(path);
    socket.set_nonblocking(true)?;
    Ok(Socket::Unix(socket, file))
}

/// A process that was killed leaves its socket behind.
fn remove_stale(path: &Path) -> io::Result<()> {
    let is_socket = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?.file_type().is_socket(),
    };
    if !is_socket {
        return Err(io::Error::other("a file that is no socket is there"));
    }
    match UnixStream::connect(path) {
        Ok(_) => Err(io::ErrorKind::AddrInUse.into()),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) => Err(error),
    }
}
