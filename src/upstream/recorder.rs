//! Writes recordings to a folder.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use thiserror::Error as ThisError;
use tokio::{
    runtime::Builder,
    sync::mpsc::{self, Receiver, Sender},
};

use super::{recordings::read_recording, request_files};
use crate::{
    base::{
        clock::{self, Moment},
        diagnostics::Diagnostic,
        environment::Environment,
        file_lock::{FileLock, InUse},
        files,
        redactor::Redactor,
    },
    chat::{ErrorKind, Response},
    provider::{
        ProviderError,
        scripted::recordings::{Added, Exchange, Recording, TOOLS, file_name},
    },
};

/// Number of exchanges that wait until they are added. More calls wait.
const WAITING: usize = 16;
/// Maximum time between a call and the file.
const MAX_DELAY: Duration = Duration::from_millis(500);

/// Writes recordings to a folder, on a thread of its own.
#[derive(Debug)]
pub(crate) struct Recorder {
    folder: PathBuf,
    /// The components whose recordings are known to be readable.
    checked: Mutex<BTreeSet<String>>,
    /// Where exchanges go, until the recording ends.
    exchanges: Mutex<Option<Sender<Exchange>>>,
    records_errors: bool,
    /// The thread that writes, until it has ended.
    writer: Mutex<Option<JoinHandle<()>>>,
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
        let writer = Writer::new(folder, environment);
        let (exchanges, received) = mpsc::channel(WAITING);
        let run = move || writer.run(received);
        let writer = thread::Builder::new().name("mynah-recorder".to_owned()).spawn(run);
        let writer = writer.map_err(RecorderError::Thread)?;
        let (exchanges, writer) = (Mutex::new(Some(exchanges)), Mutex::new(Some(writer)));
        let (folder, checked) = (folder.to_owned(), Mutex::default());
        Ok(Self { folder, checked, exchanges, records_errors, writer, _lock: lock })
    }

    /// Checks that exchanges can be added to the recording of a component, unless that is known.
    pub(crate) fn check(&self, component: &str) -> Result<(), Vec<Diagnostic>> {
        if !lock(&self.checked).contains(component) {
            read_recording(&self.folder, component)?;
            lock(&self.checked).insert(component.to_owned());
        }
        Ok(())
    }

    /// Returns `true` if an answer is to be recorded. Errors that pass by themselves never are, unless
    /// errors are wanted.
    pub(super) fn wants(&self, end: &Result<Response, ProviderError>) -> bool {
        match end {
            Ok(_) => true,
            // The client has left, or mynah itself has no memory.
            Err(error) => {
                let is_own = matches!(
                    error.kind,
                    ErrorKind::Cancelled
                        | ErrorKind::DeadlineExceeded
                        | ErrorKind::ResourceExhausted
                );
                self.records_errors && !is_own
            }
        }
    }

    /// Adds an exchange, which is written within a second.
    pub(super) async fn add(&self, exchange: Exchange) {
        let exchanges = lock(&self.exchanges).clone();
        let is_sent = match exchanges {
            Some(exchanges) => exchanges.send(exchange).await.is_ok(),
            None => false,
        };
        if !is_sent {
            tracing::error!("an exchange is not recorded: the recording has ended");
        }
    }

    /// Ends the recording, and waits until all of it is written.
    pub(crate) fn close(&self) {
        drop(lock(&self.exchanges).take());
        let writer = lock(&self.writer).take();
        // A thread that has panicked has logged it.
        let _ = writer.map(JoinHandle::join);
    }
}

/// Ignores poisoning, because a panic cannot leave the value in an invalid state.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The recordings of a folder.
struct Writer {
    folder: PathBuf,
    /// Knows the secrets.
    environment: Environment,
    /// By component.
    recordings: BTreeMap<String, Recording>,
    /// The components whose recordings are not written yet.
    changed: BTreeSet<String>,
    /// The hashes of the tools that are written.
    tools: BTreeSet<String>,
}

impl Writer {
    fn new(folder: &Path, environment: &Environment) -> Self {
        let (folder, environment) = (folder.to_owned(), environment.clone());
        Self {
            folder,
            environment,
            recordings: BTreeMap::new(),
            changed: BTreeSet::new(),
            tools: BTreeSet::new(),
        }
    }

    fn run(mut self, mut received: Receiver<Exchange>) {
        let runtime = match Builder::new_current_thread().enable_time().build() {
            Ok(runtime) => runtime,
            Err(error) => return tracing::error!("nothing is recorded: {error}"),
        };
        runtime.block_on(async {
            while let Some(exchange) = received.recv().await {
                self.add(exchange);
                let start = Moment::now();
                while let Some(left) = MAX_DELAY.checked_sub(start.age())
                    && let Some(Some(exchange)) = clock::within(left, received.recv()).await
                {
                    self.add(exchange);
                }
                self.write();
            }
            self.write();
            self.remove_unused();
        });
    }

    fn add(&mut self, mut exchange: Exchange) {
        let component = exchange.request.component.clone();
        // Components that were loaded since may have others.
        if exchange.redact(&Redactor::new(&self.environment.hidden())) {
            tracing::warn!(component, "secrets are left out of a recorded exchange");
        }
        self.add_tools(&exchange);
        let added = self.recording(&component).and_then(|recording| recording.add(&exchange));
        match added {
            Ok(Added::Text) => drop(self.changed.insert(component)),
            Ok(Added::Nothing) => {}
            Ok(Added::Kept) => tracing::warn!(
                component,
                session = exchange.session,
                "the model failed; the recorded answer is kept"
            ),
            Ok(Added::Conflict) => tracing::warn!(
                component,
                session = exchange.session,
                "two sessions got different answers to the same request; the first one is recorded"
            ),
            Err(error) => tracing::error!(component, "an exchange is not recorded: {error}"),
        }
    }

    /// Writes the tools that a request offers, which only `mynah diff` reads.
    fn add_tools(&mut self, exchange: &Exchange) {
        for (hash, tool) in &exchange.tools {
            let path = self.folder.join(TOOLS).join(format!("{hash}.json"));
            if !self.tools.insert(hash.clone()) || path.exists() {
                continue;
            }
            let write = |file: &mut BufWriter<&File>| writeln!(file, "{tool:#}");
            let written = fs::create_dir_all(self.folder.join(TOOLS))
                .and_then(|()| files::replace(&path, write));
            if let Err(error) = written {
                tracing::error!("{}: not recorded: {error}", path.display());
            }
        }
    }

    /// Returns the recording of a component, which is read at its first exchange.
    fn recording(&mut self, component: &str) -> Result<&mut Recording, String> {
        if !self.recordings.contains_key(component) {
            let read = self.open(component)?;
            self.recordings.insert(component.to_owned(), read);
        }
        self.recordings.get_mut(component).ok_or_else(|| "no recording".to_owned())
    }

    fn open(&self, component: &str) -> Result<Recording, String> {
        let lines = |errors: Vec<Diagnostic>| {
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        read_recording(&self.folder, component).map(Option::unwrap_or_default).map_err(lines)
    }

    /// Writes what has changed. What cannot be written stays changed, so that it is tried again.
    fn write(&mut self) {
        let Self { folder, recordings, changed, .. } = self;
        changed.retain(|component| {
            let Some(recording) = recordings.get_mut(component) else { return false };
            let path = folder.join(file_name(component));
            let text = recording.text();
            // The file refers to the texts.
            let written = request_files::write(folder, recording)
                .and_then(|()| files::replace(&path, |file| file.write_all(text.as_bytes())));
            written
                .map(|()| recording.forget_long_texts())
                .inspect_err(|error| tracing::error!("{}: not recorded: {error}", path.display()))
                .is_err()
        });
    }

    /// Removes the long texts that no rule uses, if all rules are written.
    fn remove_unused(&self) {
        if self.changed.is_empty()
            && let Err(error) = request_files::remove_unused(&self.folder)
        {
            tracing::warn!("{}: unused texts are left: {error}", self.folder.display());
        }
    }
}
