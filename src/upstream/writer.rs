//! The thread that writes recordings.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{runtime::Builder, sync::mpsc::Receiver};

use super::{
    hashed_file,
    recorded_file::RecordedFile,
    repeats::{Fingerprint, Repeats},
    request_files,
};
use crate::{
    base::{
        clock::{self, Moment},
        environment::Environment,
        redactor::Redactor,
    },
    chat::Request,
    provider::scripted::recordings::{Added, Exchange, RecordedAnswer, TOOLS, file_name},
};

/// Maximum time between a call and the file.
const MAX_DELAY: Duration = Duration::from_millis(500);

/// An exchange that is to be added.
#[derive(Debug)]
pub(super) struct Observed {
    pub(super) component: String,
    pub(super) session: String,
    pub(super) request: Arc<Request>,
    pub(super) answer: RecordedAnswer,
    pub(super) fingerprint: Fingerprint,
    /// How often the previous exchange was repeated since.
    pub(super) repeats: usize,
}

/// A file, and the number of exchanges that were recorded in it.
pub(super) type WrittenFile = (PathBuf, usize);

/// The recordings of a folder.
pub(super) struct Writer {
    folder: PathBuf,
    /// Knows the secrets.
    environment: Environment,
    /// The secrets that the redactor knows.
    secrets: Vec<String>,
    redactor: Redactor,
    repeats: Arc<Repeats>,
    /// By component.
    files: BTreeMap<String, RecordedFile>,
    /// The only request that has the key of an exchange, by component, session and key. `None` if there are
    /// several.
    sources: BTreeMap<(String, String, u64), Option<u64>>,
    /// The components whose recordings are not written yet.
    changed: BTreeSet<String>,
    /// The hashes of the tools that are written.
    tools: BTreeSet<String>,
}

impl Writer {
    pub(super) fn new(folder: &Path, environment: &Environment, repeats: &Arc<Repeats>) -> Self {
        Self {
            folder: folder.to_owned(),
            environment: environment.clone(),
            secrets: Vec::new(),
            redactor: Redactor::default(),
            repeats: repeats.clone(),
            files: BTreeMap::new(),
            sources: BTreeMap::new(),
            changed: BTreeSet::new(),
            tools: BTreeSet::new(),
        }
    }

    /// Writes what is received until the recording ends. Returns the files that are written.
    pub(super) fn run(mut self, mut received: Receiver<Observed>) -> Vec<WrittenFile> {
        let runtime = match Builder::new_current_thread().enable_time().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                tracing::error!("nothing is recorded: {error}");
                return Vec::new();
            }
        };
        runtime.block_on(async {
            while let Some(observed) = received.recv().await {
                self.add(observed);
                let start = Moment::now();
                while let Some(left) = MAX_DELAY.checked_sub(start.age())
                    && let Some(Some(observed)) = clock::within(left, received.recv()).await
                {
                    self.add(observed);
                }
                self.write();
            }
            self.write();
            self.remove_unused();
        });
        let is_written =
            |(component, _): &(&String, &RecordedFile)| !self.changed.contains(*component);
        let written = self.files.iter().filter(is_written).map(|(_, file)| file);
        written.map(|file| (file.path().to_owned(), file.recording().confirmed())).collect()
    }

    fn add(&mut self, observed: Observed) {
        let Observed { component, session, request, answer, fingerprint, repeats } = observed;
        let mut exchange = Exchange::new(&request, &component, &session, answer);
        exchange.repeats = repeats;
        if exchange.redact(self.redactor()) {
            tracing::warn!(component, "secrets are left out of a recorded exchange");
        }
        self.add_tools(&exchange);
        let added = self.add_exchange(fingerprint, exchange);
        match added {
            Ok(Added::Text) => drop(self.changed.insert(component)),
            Ok(Added::Nothing) => {}
            Ok(Added::Kept) => {
                tracing::warn!(component, session, "the model failed; the recorded answer is kept")
            }
            Ok(Added::Conflict) => tracing::warn!(
                component,
                session,
                "two sessions got different answers to the same request; the first one is recorded"
            ),
            Err(error) => {
                let file = self.folder.join(file_name(&component));
                tracing::error!("{}: an exchange is not recorded: {error}", file.display());
            }
        }
    }

    /// Adds an exchange, and says whether it need not be added again.
    fn add_exchange(
        &mut self,
        fingerprint: Fingerprint,
        mut exchange: Exchange,
    ) -> Result<Added, String> {
        let (component, session) = (exchange.request.component.clone(), exchange.session.clone());
        // It is read at its first exchange.
        let open = || RecordedFile::open(&self.folder, &component);
        let file = self.files.entry(component.clone()).or_insert_with(open);
        let key = file.recording().key(&exchange);
        let source = self.sources.entry((component.clone(), session.clone(), key));
        let source = source.or_insert(Some(fingerprint.request));
        // Requests that normalization makes equal are counted together.
        if *source != Some(fingerprint.request) {
            exchange.repeats += source.take().map_or(0, |other| self.repeats.forget(other));
        }
        let is_only = source.is_some();
        let added = file.add(key, exchange);
        let is_added = matches!(added, Ok(Added::Text | Added::Nothing));
        let is_recorded = is_only && is_added && file.recording().repeats(key, &session);
        self.repeats.added(fingerprint, is_recorded);
        added
    }

    /// Returns the redactor, which knows the secrets of components that were loaded since.
    fn redactor(&mut self) -> &Redactor {
        let secrets = self.environment.hidden();
        if secrets != self.secrets {
            self.redactor = Redactor::new(&secrets);
            self.secrets = secrets;
        }
        &self.redactor
    }

    /// Writes the tools that a request offers, which only `mynah diff` reads.
    fn add_tools(&mut self, exchange: &Exchange) {
        for (hash, tool) in &exchange.tools {
            if !self.tools.insert(hash.clone()) {
                continue;
            }
            let file = format!("{TOOLS}/{hash}.json");
            if let Err(error) = hashed_file::write(&self.folder, &file, &format!("{tool:#}\n")) {
                tracing::error!("{}: not recorded: {error}", self.folder.display());
            }
        }
    }

    /// Writes what has changed. What cannot be written stays changed, so that it is tried again.
    fn write(&mut self) {
        let Self { folder, files, changed, .. } = self;
        changed.retain(|component| {
            let Some(file) = files.get_mut(component) else { return false };
            let written = file.write(folder);
            written
                .inspect_err(|error| {
                    tracing::error!("{}: not recorded: {error}", file.path().display());
                })
                .is_err()
        });
        // An exchange that comes again tries to write again.
        if !self.changed.is_empty() {
            self.repeats.forget_all();
        }
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
