//! Opens the file of the journal.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

use crate::base::file_lock::{FileLock, InUse};

/// A file to which this process may append lines.
#[derive(Debug)]
pub(super) struct LineFile {
    pub(super) file: File,
    /// Whether it is a regular file. Others can stall, such as pipes.
    pub(super) is_regular: bool,
    /// Keeps other processes from writing to the file.
    _lock: Option<FileLock>,
}

impl LineFile {
    /// Opens a file, or creates one that only its owner may read. Ends an incomplete last line. Waits
    /// for the reader of a pipe.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = options().open(path)?;
        let kind = file.metadata()?.file_type();
        // Devices can be shared, such as /dev/null.
        let is_device = !kind.is_file() && !is_pipe(kind);
        let lock = if is_device { None } else { Some(lock(&file)?) };
        if kind.is_file() && !is_complete(path)? {
            file.write_all(b"\n")?;
        }
        Ok(Self { file, is_regular: kind.is_file(), _lock: lock })
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn is_pipe(kind: std::fs::FileType) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::FileTypeExt::is_fifo(&kind);
    #[cfg(not(unix))]
    return !kind.is_file();
}

fn lock(file: &File) -> io::Result<FileLock> {
    FileLock::try_new(file.try_clone()?).map_err(|InUse| {
        io::Error::new(
            io::ErrorKind::ResourceBusy,
            "another process writes to it; choose another file",
        )
    })
}

/// Returns `true` if the last line is complete. It is not if the disk was full, or if the process was
/// killed while it wrote.
fn is_complete(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok(last == [b'\n'])
}
