//! Writes the entries of the journal to a file, as JSON lines.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Write},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
};

use tokio::sync::Notify;

use super::entry::Entry;

/// New calls wait while entries of more than this number of bytes have not been written.
const MAX_QUEUED: usize = 16 * 1024 * 1024;

/// A file to which a thread appends the entries of the journal.
#[derive(Debug)]
pub(super) struct JournalFile {
    /// `None` when the file is closed.
    sender: Mutex<Option<Sender<Arc<Entry>>>>,
    queue: Arc<Queue>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Queue {
    /// The size of the entries that have not been written.
    bytes: AtomicUsize,
    written: Notify,
}

impl JournalFile {
    /// Opens a file, to which entries are appended.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        let (sender, entries) = mpsc::channel();
        let queue = Arc::new(Queue::default());
        let of_thread = queue.clone();
        let work = move || of_thread.write(file, &entries);
        let thread = thread::Builder::new().name("journal".to_owned()).spawn(work)?;
        Ok(Self { sender: Mutex::new(Some(sender)), queue, thread: Mutex::new(Some(thread)) })
    }

    /// Writes the entry that `number` returns. Entries are written in the order of their numbers.
    pub(super) fn add(&self, number: impl FnOnce() -> Arc<Entry>) {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = number();
        let size = entry.size();
        self.queue.bytes.fetch_add(size, Ordering::Relaxed);
        if sender.as_ref().is_none_or(|sender| sender.send(entry).is_err()) {
            self.queue.release(size);
        }
    }

    /// Returns `true` if new calls have to wait for the file.
    pub(super) fn is_full(&self) -> bool {
        self.queue.bytes.load(Ordering::Relaxed) > MAX_QUEUED
    }

    /// Waits until new calls may start.
    pub(super) async fn wait_for_room(&self) {
        loop {
            let written = self.queue.written.notified();
            if !self.is_full() {
                return;
            }
            written.await;
        }
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
    fn write(&self, file: File, entries: &Receiver<Arc<Entry>>) {
        let mut file = BufWriter::new(file);
        let mut has_failed = false;
        while let Ok(first) = entries.recv() {
            let mut next = Some(first);
            while let Some(entry) = next {
                if !has_failed && let Err(error) = write_line(&mut file, &entry) {
                    has_failed = report(&error);
                }
                self.release(entry.size());
                next = entries.try_recv().ok();
            }
            if !has_failed && let Err(error) = file.flush() {
                has_failed = report(&error);
            }
        }
    }

    fn release(&self, size: usize) {
        self.bytes.fetch_sub(size, Ordering::Relaxed);
        self.written.notify_waiters();
    }
}

fn write_line(file: &mut impl Write, entry: &Entry) -> io::Result<()> {
    serde_json::to_writer(&mut *file, &entry.to_json())?;
    file.write_all(b"\n")
}

/// Logs that the file cannot be written. Returns `true`.
fn report(error: &io::Error) -> bool {
    tracing::error!("cannot write the journal file: {error}; it gets no more entries");
    true
}
