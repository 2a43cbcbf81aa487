//! Reads text files, up to a maximum size, and replaces files.

use std::{
    env,
    fs::{self, File},
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use super::diagnostics::{Diagnostic, Place};

/// Maximum size of a file in MiB.
const MAX_MIB: u64 = 4;

/// Reads a regular file. Rejects anything else, because reading a pipe or a device could block.
pub fn read_regular(file: &Path) -> Result<String, Diagnostic> {
    text(open_regular(file).and_then(bytes), file)
}

/// Opens a regular file. Checks the path first, because opening can have effects on a device, and
/// then what was opened, because another file may have the path by now.
fn open_regular(path: &Path) -> io::Result<File> {
    let check = |is_regular| match is_regular {
        true => Ok(()),
        false => Err(io::Error::other("not a regular file")),
    };
    check(fs::metadata(path)?.is_file())?;
    let file = open_without_blocking(path)?;
    check(file.metadata()?.is_file())?;
    Ok(file)
}

/// Opens a file such that neither opening nor reading it waits for another process. Some files that
/// seem regular would, such as /proc/kmsg.
#[cfg(unix)]
fn open_without_blocking(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    File::options().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open_without_blocking(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Adds the folder at which a relative path starts, for messages. As in daprd, it is the working
/// directory.
pub fn with_start(path: String) -> String {
    match env::current_dir() {
        Ok(folder) if Path::new(&path).is_relative() => {
            format!("{path} (relative to {})", folder.display())
        }
        _ => path,
    }
}

/// Reads a file that was named by the user and may be a pipe.
pub fn read(file: &Path) -> Result<String, Diagnostic> {
    text(File::open(file).and_then(bytes), file)
}

/// Reads a regular file of at most `mib` MiB.
pub fn read_large(file: &Path, mib: u64) -> Result<String, Diagnostic> {
    text(open_regular(file).and_then(|source| bytes_up_to(source, mib)), file)
}

/// Reads standard input to its end.
pub fn read_stdin() -> Result<String, Diagnostic> {
    text(bytes(io::stdin().lock()), Path::new("standard input"))
}

/// Replaces a file atomically: writes a temporary file next to it, and renames that file when all of
/// it is on the disk. After an error, the file is as it was.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> io::Result<()> {
    replace_if(path, write, || true).map(drop)
}

/// Does the same if the file may still be replaced when the temporary one is on the disk. Otherwise
/// returns `false`, and the file is as it was.
pub fn replace_if(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    may_replace: impl FnOnce() -> bool,
) -> io::Result<bool> {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    let temporary = PathBuf::from(name);
    let replace = || {
        let file = File::create(&temporary)?;
        let mut writer = BufWriter::new(&file);
        write(&mut writer)?;
        writer.flush()?;
        drop(writer);
        file.sync_all()?;
        if !may_replace() {
            fs::remove_file(&temporary)?;
            return Ok(false);
        }
        fs::rename(&temporary, path)?;
        sync_folder(path).map(|()| true)
    };
    replace().inspect_err(|_| {
        // The file may not exist.
        let _ = fs::remove_file(&temporary);
    })
}

/// Which version of a file is at a path: another one differs in its size or, on Unix, in the file itself or
/// in the time of its last change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    size: u64,
    #[cfg(unix)]
    inode: (u64, u64),
    #[cfg(unix)]
    changed: (i64, i64),
}

impl Version {
    /// Returns the version of a file, or `None` if there is none.
    pub fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;

        let metadata = fs::metadata(path).ok()?;
        Some(Self {
            size: metadata.len(),
            #[cfg(unix)]
            inode: (metadata.dev(), metadata.ino()),
            #[cfg(unix)]
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

/// Makes a rename survive a power failure.
fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        // The parent of a bare name is empty.
        Some(folder) if cfg!(unix) => File::open(Path::new(".").join(folder))?.sync_all(),
        _ => Ok(()),
    }
}

fn bytes(source: impl Read) -> io::Result<Vec<u8>> {
    bytes_up_to(source, MAX_MIB)
}

fn bytes_up_to(source: impl Read, mib: u64) -> io::Result<Vec<u8>> {
    let (mut bytes, max) = (Vec::new(), mib << 20);
    source.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return Err(io::Error::other(format!("larger than {mib} MiB")));
    }
    Ok(bytes)
}

fn text(bytes: io::Result<Vec<u8>>, file: &Path) -> Result<String, Diagnostic> {
    let text = match bytes {
        Ok(bytes) => String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            Diagnostic::error("not valid UTF-8").at(end_of(valid, error.as_bytes()))
        }),
        Err(error) => Err(Diagnostic::error(format!("cannot be read: {error}"))),
    };
    text.map_err(|error| error.in_file(file))
}

/// Returns the place after the first `length` bytes, which are valid UTF-8.
fn end_of(length: usize, bytes: &[u8]) -> Place {
    let valid = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default());
    let last = valid.rsplit('\n').next().unwrap_or_default();
    Place { line: valid.matches('\n').count() + 1, column: last.chars().count() + 1 }
}
