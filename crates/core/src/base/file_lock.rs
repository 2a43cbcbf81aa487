//! Locks that keep other processes away from a file or a folder.

use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
};

use thiserror::Error as ThisError;

/// A lock on a file or a folder, which ends with the value or with the process.
#[derive(Debug)]
pub struct FileLock(Option<File>);

/// Another process has the lock.
#[derive(Debug, ThisError)]
#[error("in use by another process")]
pub struct InUse;

impl FileLock {
    /// Locks a folder without waiting. Returns `None` on Windows, where folders cannot be opened.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be opened; the inner result if another process has the lock.
    pub fn of_folder(folder: &Path) -> io::Result<Result<Option<Self>, InUse>> {
        if !cfg!(unix) {
            return Ok(Ok(None));
        }
        Ok(Self::try_new(File::open(folder)?).map(Some))
    }

    /// Locks an open file or folder without waiting. Does nothing where that is impossible.
    ///
    /// # Errors
    ///
    /// Fails if another process has the lock.
    pub fn try_new(file: File) -> Result<Self, InUse> {
        // On Windows, a lock would also keep other processes from reading.
        if !cfg!(unix) {
            return Ok(Self(None));
        }
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(InUse),
            // Some network file systems have no locks.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self(Some(file))),
        }
    }
}

/// Closing the file would not be enough: a process that is being started shares it for a moment.
impl Drop for FileLock {
    fn drop(&mut self) {
        // Ignore errors: the lock ends with the process at the latest.
        let _ = self.0.as_ref().map(File::unlock);
    }
}
