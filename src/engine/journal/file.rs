//! Writes the entries of the journal to a file, as JSON lines.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use prometheus::IntCounter;
use tokio::sync::Notify;

use super::entry::Entry;
use crate::{
    base::{
        clock,
        file_lock::{FileLock, InUse},
    },
    engine::redactor::{CurrentRedactor, Redactor},
};

/// New calls wait while entries of more than this number of bytes have not been written.
const MAX_QUEUED: usize = 16 * 1024 * 1024;
/// The time that calls and the end of the program wait for a pipe whose reader is slow.
const PIPE_TIMEOUT: Duration = Duration::from_secs(2);
/// The time that the end of the program waits for a regular file.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(30);
/// The buffer for a line may keep this size.
const KEPT_LINE: usize = 64 * 1024;

/// A file to which a thread appends the entries of the journal.
#[derive(Debug)]
pub(super) struct JournalFile {
    /// `None` when the file is closed.
    sender: Mutex<Option<Sender<Arc<Entry>>>>,
    queue: Arc<Queue>,
    thread: Mutex<Option<JoinHandle<()>>>,
    is_regular: bool,
}

#[derive(Debug)]
struct Queue {
    /// The size of the entries that have not been written.
    bytes: AtomicUsize,
    written: Notify,
    /// Whether a call has waited in vain for a pipe. Until the pipe takes an entry, others that have no
    /// room are dropped.
    is_stalled: AtomicBool,
    has_reported_stall: AtomicBool,
    /// Counts the entries that are not written.
    dropped: IntCounter,
}

impl JournalFile {
    /// Opens a file, to which entries are appended. Waits for the reader of a pipe.
    pub(super) fn open(
        path: &Path,
        dropped: IntCounter,
        redactor: CurrentRedactor,
    ) -> io::Result<Self> {
        let file = LineFile::open(path)?;
        let is_regular = file.is_regular;
        let (sender, entries) = mpsc::channel();
        let queue = Arc::new(Queue::new(dropped));
        let of_thread = queue.clone();
        let work = move || of_thread.write(file, &entries, &redactor);
        let thread = thread::Builder::new().name("journal".to_owned()).spawn(work)?;
        let (sender, thread) = (Mutex::new(Some(sender)), Mutex::new(Some(thread)));
        Ok(Self { sender, queue, thread, is_regular })
    }

    /// Writes the entry that `number` returns, or drops it if the file has stalled. Entries are written
    /// in the order of their numbers.
    pub(super) fn add(&self, number: impl FnOnce() -> Arc<Entry>) {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = number();
        if self.queue.has_stalled() {
            return self.queue.dropped.inc();
        }
        let size = entry.size();
        self.queue.bytes.fetch_add(size, Ordering::Relaxed);
        if sender.as_ref().is_none_or(|sender| sender.send(entry).is_err()) {
            self.queue.dropped.inc();
            self.queue.release(size);
        }
    }

    /// Returns `true` if new calls have to wait for the file.
    pub(super) fn is_full(&self) -> bool {
        self.queue.is_full()
    }

    /// Waits until new calls may start.
    pub(super) async fn wait_for_room(&self) {
        if self.is_regular {
            self.queue.wait_for_room().await;
        } else if clock::within(PIPE_TIMEOUT, self.queue.wait_for_room()).await.is_none() {
            self.queue.stall();
        }
    }

    /// Returns the time that [`close`](Self::close) may take.
    pub(super) fn close_timeout(&self) -> Duration {
        if self.is_regular { CLOSE_TIMEOUT } else { PIPE_TIMEOUT }
    }

    /// Writes all entries and closes the file. Blocks.
    pub(super) fn close(&self) {
        drop(self.sender.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A panic of the thread is logged.
        thread.map(JoinHandle::join);
    }
}

impl Queue {
    fn new(dropped: IntCounter) -> Self {
        Self {
            bytes: AtomicUsize::default(),
            written: Notify::default(),
            is_stalled: AtomicBool::default(),
            has_reported_stall: AtomicBool::default(),
            dropped,
        }
    }

    fn write(
        &self,
        mut file: LineFile,
        entries: &Receiver<Arc<Entry>>,
        redactor: &CurrentRedactor,
    ) {
        let (mut line, mut has_failed) = (Vec::new(), false);
        for entry in entries {
            let redactor = redactor.load();
            if !has_failed
                && let Err(error) = write_line(&mut file.file, &mut line, &entry, &redactor)
            {
                has_failed = true;
                tracing::error!("cannot write the journal file: {error}; it gets no more entries");
            }
            if has_failed {
                self.dropped.inc();
            }
            self.release(entry.size());
        }
    }

    fn release(&self, size: usize) {
        self.bytes.fetch_sub(size, Ordering::Relaxed);
        self.is_stalled.store(false, Ordering::Relaxed);
        self.written.notify_waiters();
    }

    fn has_room(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) <= MAX_QUEUED
    }

    /// Returns `true` if new entries have to wait.
    fn is_full(&self) -> bool {
        !self.has_room() && !self.is_stalled.load(Ordering::Relaxed)
    }

    /// Returns `true` if new entries are dropped.
    fn has_stalled(&self) -> bool {
        self.is_stalled.load(Ordering::Relaxed) && !self.has_room()
    }

    async fn wait_for_room(&self) {
        loop {
            let written = self.written.notified();
            if !self.is_full() {
                return;
            }
            written.await;
        }
    }

    /// Drops entries from now on, until the next one is written.
    fn stall(&self) {
        self.is_stalled.store(true, Ordering::Relaxed);
        self.written.notify_waiters();
        if !self.has_reported_stall.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "the reader of the journal file is too slow: calls that it does not take within \
                 {PIPE_TIMEOUT:?} are dropped"
            );
        }
    }
}

/// Writes a line at once, so that a process that is killed rarely leaves an incomplete one.
fn write_line(
    file: &mut impl Write,
    line: &mut Vec<u8>,
    entry: &Entry,
    redactor: &Redactor,
) -> io::Result<()> {
    line.clear();
    line.shrink_to(KEPT_LINE);
    serde_json::to_writer(&mut *line, &entry.to_json(redactor))?;
    line.push(b'\n');
    file.write_all(line)
}

/// A file to which this process may append lines.
#[derive(Debug)]
struct LineFile {
    file: File,
    /// Whether it is a regular file. Others can stall, such as pipes.
    is_regular: bool,
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
