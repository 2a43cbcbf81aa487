//! Files of Unix sockets.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// The file of a Unix socket, removed on drop unless another file has replaced it.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    id: FileId,
}

/// The device and the inode of a file.
type FileId = (u64, u64);

impl SocketFile {
    pub(super) fn new(path: PathBuf) -> io::Result<Self> {
        Ok(Self { id: file_id(&path)?, path })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if file_id(&self.path).is_ok_and(|id| id == self.id) {
            // Ignore errors: the file may be gone by now.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn file_id(path: &Path) -> io::Result<FileId> {
    let file = fs::symlink_metadata(path)?;
    Ok((file.dev(), file.ino()))
}
