//! Writes recordings to a folder.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
};

use thiserror::Error as ThisError;
use tokio::sync::mpsc::{self, Sender};

use super::{
    recordings::read_recording,
    repeats::{Fingerprint, Repeats},
    unrecorded::Unrecorded,
    writer::{Observed, Writer, WrittenFile},
};
use crate::{
    base::{
        diagnostics::Diagnostic,
        environment::Environment,
        file_lock::{FileLock, InUse},
        text::count,
    },
    chat::{ErrorKind, Response},
    provider::ProviderError,
};

/// Number of exchanges that wait until they are added. More calls wait.
const WAITING: usize = 16;

/// Writes recordings to a folder, on a thread of its own.
#[derive(Debug)]
pub(crate) struct Recorder {
    folder: PathBuf,
    /// The components whose recordings are known to be readable.
    checked: Mutex<BTreeSet<String>>,
    /// Where exchanges go, until the recording ends.
    exchanges: Mutex<Option<Sender<Observed>>>,
    repeats: Arc<Repeats>,
    /// Number of exchanges, also of repeated ones.
    count: AtomicUsize,
    unrecorded: Unrecorded,
    records_errors: bool,
    /// The thread that writes, until it has ended.
    writer: Mutex<Option<JoinHandle<Vec<WrittenFile>>>>,
    _lock: Option<FileLock>,
}

/// The reason why nothing can be recorded.
#[derive(Debug, ThisError)]
pub(crate) enum RecorderError {
    /// Another process records.
    #[error("{0}: another mynah records to this folder; stop it or choose another folder")]
    InUse(PathBuf),
    /// The folder cannot be written.
    #[error("{0}: {1}")]
    Folder(PathBuf, io::Error),
    /// The thread that writes cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

/// What became of the calls of real models.
#[derive(Debug)]
pub(crate) enum Closed {
    /// There were none.
    Idle,
    /// There were some, of which none is recorded for this reason.
    Nothing(String),
    /// Some are recorded.
    Recorded,
}

impl Recorder {
    /// Records to a folder, which is made if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if another process records there, or if the folder cannot be used.
    pub(crate) fn new(
        folder: &Path,
        records_errors: bool,
        environment: &Environment,
    ) -> Result<Self, RecorderError> {
        let failed = |error| RecorderError::Folder(folder.to_owned(), error);
        fs::create_dir_all(folder).map_err(failed)?;
        let lock = FileLock::of_folder(folder).map_err(failed)?;
        let lock = lock.map_err(|InUse| RecorderError::InUse(folder.to_owned()))?;
        let repeats = Arc::default();
        let writer = Writer::new(folder, environment, &repeats);
        let (exchanges, received) = mpsc::channel(WAITING);
        let run = move || writer.run(received);
        let writer = thread::Builder::new().name("mynah-recorder".to_owned()).spawn(run);
        let writer = writer.map_err(RecorderError::Thread)?;
        let (exchanges, writer) = (Mutex::new(Some(exchanges)), Mutex::new(Some(writer)));
        let (folder, checked) = (folder.to_owned(), Mutex::default());
        let (count, unrecorded) = (AtomicUsize::default(), Unrecorded::default());
        Ok(Self {
            folder,
            checked,
            exchanges,
            repeats,
            count,
            unrecorded,
            records_errors,
            writer,
            _lock: lock,
        })
    }

    /// Checks that exchanges can be added to the recording of a component, unless that is known. Returns a
    /// warning if they are never replayed.
    pub(crate) fn check(&self, component: &str) -> Result<Option<Diagnostic>, Vec<Diagnostic>> {
        if lock(&self.checked).contains(component) {
            return Ok(None);
        }
        let recording = read_recording(&self.folder, component)?;
        lock(&self.checked).insert(component.to_owned());
        Ok(recording.and_then(|(recording, _)| recording.warning().cloned()))
    }

    /// Returns `true` if an answer is to be recorded, otherwise counts it as failed. Errors that pass by
    /// themselves never are, unless errors are wanted.
    pub(super) fn wants(&self, end: Result<&Response, &ProviderError>) -> bool {
        let Err(error) = end else { return true };
        // The client has left, or mynah itself has no memory.
        let is_own = matches!(
            error.kind,
            ErrorKind::Cancelled | ErrorKind::DeadlineExceeded | ErrorKind::ResourceExhausted
        );
        let is_wanted = self.records_errors && !is_own;
        if !is_wanted {
            self.unrecorded.add_failed(error);
        }
        is_wanted
    }

    /// Counts a call that has ended before its answer was complete. The first one is logged.
    pub(super) fn add_cut(&self, component: &str) {
        if self.unrecorded.add_cut() {
            tracing::warn!(
                component,
                "an answer is not recorded: the call ended before it was complete, for example because the client \
                 closed the stream; further ones are not logged"
            );
        }
    }

    /// Counts an exchange. If it must be added, returns how often the previous one was repeated.
    pub(super) fn count(&self, exchange: Fingerprint) -> Option<usize> {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.repeats.count(exchange)
    }

    /// Adds an exchange, which is written within a second.
    pub(super) async fn add(&self, exchange: Observed) {
        let exchanges = lock(&self.exchanges).clone();
        let is_sent = match exchanges {
            Some(exchanges) => exchanges.send(exchange).await.is_ok(),
            None => false,
        };
        if !is_sent {
            tracing::error!("an exchange is not recorded: the recording has ended");
        }
    }

    /// Ends the recording, and waits until all of it is written. Returns what became of the calls, and logs what
    /// was recorded.
    pub(crate) fn close(&self) -> Closed {
        drop(lock(&self.exchanges).take());
        let writer = lock(&self.writer).take();
        // A thread that has panicked has logged it.
        let files = writer.and_then(|writer| writer.join().ok()).unwrap_or_default();
        let unrecorded = self.unrecorded.reason();
        if self.count.load(Ordering::Relaxed) == 0 {
            return unrecorded.map_or(Closed::Idle, Closed::Nothing);
        }
        let files = files.iter().filter(|(_, exchanges)| *exchanges > 0);
        let files: Vec<_> = files
            .map(|(file, exchanges)| {
                format!("{} in {}", count(*exchanges, "exchange"), file.display())
            })
            .collect();
        if files.is_empty() {
            return Closed::Nothing("see the messages above".to_owned());
        }
        let unrecorded = unrecorded.map(|reason| format!("; not recorded: {reason}"));
        tracing::info!("recorded {}{}", files.join(", "), unrecorded.unwrap_or_default());
        Closed::Recorded
    }
}

/// Ignores poisoning, because a panic cannot leave the value in an invalid state.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
