//! Reloads components when their files change.

#[cfg(test)]
mod tests;
mod lookups;
mod watch;

use std::{collections::BTreeSet, mem, path::PathBuf, pin::pin, sync::Arc, time::Duration};

use tokio::sync::Notify;

use self::{lookups::ReceivedLookups, watch::Watch};
use crate::{
    base::{
        blocking::{Panicked, run_blocking},
        clock,
        diagnostics::{Diagnostic, Severity},
    },
    component::{self, Change, ComponentSpec, Context, Loaded},
    engine::{Engine, Lookups},
    server::error::StartError,
};

/// Files are read once nothing has changed for this long, because editors write in several steps.
const DEBOUNCE: Duration = Duration::from_millis(20);
/// Files are read after this long even if changes continue.
const MAX_DEBOUNCE: Duration = Duration::from_secs(1);
/// Files are read at this interval even without reported changes, because some file systems report
/// none. The same as in daprd.
const POLL_INTERVAL: Duration = Duration::from_secs(60);

/// Loads the components from a set of paths, and reloads them when files change.
#[derive(Debug)]
pub(crate) struct Reload {
    paths: Vec<PathBuf>,
    context: Context,
    /// The result of the last load without errors.
    served: Loaded,
    /// The errors of the last load. Empty if its components are being served.
    errors: Vec<Diagnostic>,
    /// The other files of the last load, such as tools and rules.
    watched_files: BTreeSet<PathBuf>,
    /// The lookups of components that only daprd has.
    lookups: ReceivedLookups,
}

impl Reload {
    /// Loads the components for the first time, on a blocking thread, so that a slow file system does
    /// not delay a signal.
    pub(crate) async fn new(paths: Vec<PathBuf>, context: Context) -> Result<Self, StartError> {
        let (of_load, with) = (paths.clone(), context.clone());
        let mut served = run_blocking(move || component::load(&of_load, &with)).await?;
        served.notices.iter().for_each(log);
        if served.errors.is_empty() {
            let logged = served.notices.len();
            served.connect(&[]).await;
            served.notices.iter().skip(logged).for_each(log);
        }
        if !served.errors.is_empty() {
            return Err(StartError::Components(served.errors));
        }
        let watched_files = served.watched_files.clone();
        let lookups = ReceivedLookups::default();
        Ok(Self { paths, context, served, errors: Vec::new(), watched_files, lookups })
    }

    /// Returns what looks up components of the daprd that calls real models, if one does.
    pub(crate) fn lookups(&mut self) -> Option<Lookups> {
        self.context.daprd().is_some().then(|| self.lookups.open())
    }

    /// Returns the components that are being served.
    pub(crate) fn components(&self) -> &[ComponentSpec] {
        &self.served.components
    }

    /// Keeps the components of `engine` up to date. Never completes.
    pub(crate) async fn run(mut self, engine: Arc<Engine>) {
        let changed = Arc::new(Notify::new());
        let mut watch = Watch::default();
        loop {
            watch = match self.load(watch, changed.clone()).await {
                Ok((watch, loaded)) => {
                    let is_watched = loaded.watched_files.is_subset(&self.watched_files);
                    self.watched_files.clone_from(&loaded.watched_files);
                    self.handle(loaded, &engine).await;
                    if !is_watched {
                        changed.notify_one();
                    }
                    watch
                }
                Err(Panicked) => Watch::default(),
            };
            self.lookups.answer(&Ok(()));
            self.wait(&changed).await;
        }
    }

    /// Waits until files have changed, or daprd lists other components.
    async fn wait(&mut self, changed: &Notify) {
        let mut settled = pin!(settled(changed));
        loop {
            tokio::select! {
                () = &mut settled => return,
                () = self.lookups.receive() => {}
            }
            if self.lookups.list(&self.context).await {
                return;
            }
        }
    }

    /// Renews the watch, then loads the components. In this order, no change is missed.
    async fn load(&self, old: Watch, changed: Arc<Notify>) -> Result<(Watch, Loaded), Panicked> {
        let (paths, context) = (self.paths.clone(), self.context.clone());
        let watched = paths.iter().chain(&self.watched_files).cloned().collect::<Vec<_>>();
        let work = move || {
            let watch = old.renew(&watched, changed);
            (watch, component::load(&paths, &context))
        };
        run_blocking(work).await
    }

    async fn handle(&mut self, mut loaded: Loaded, engine: &Engine) {
        loaded.errors.extend(component::truncated_files(&self.served, &loaded));
        if loaded.errors.is_empty() {
            loaded.connect(&self.served.components).await;
        }
        if loaded.errors.is_empty() {
            self.serve(loaded, engine);
        } else {
            self.reject(loaded.errors, engine);
        }
    }

    fn serve(&mut self, loaded: Loaded, engine: &Engine) {
        let known: BTreeSet<_> = self.served.notices.iter().collect();
        loaded.notices.iter().filter(|notice| !known.contains(notice)).for_each(log);
        let had_errors = !mem::take(&mut self.errors).is_empty();
        let change = Change::between(&self.served.components, &loaded.components);
        self.served = loaded;
        if !change.is_empty() {
            let names = change.to_string();
            engine.metrics.count_reload(true);
            engine.apply(&change);
            engine.set_secrets(&self.context.environment);
            tracing::info!("components reloaded: {names}");
        } else if had_errors {
            tracing::info!("the errors are fixed; the components are unchanged");
        } else {
            tracing::debug!("component files read again: nothing has changed");
        }
    }

    fn reject(&mut self, errors: Vec<Diagnostic>, engine: &Engine) {
        if errors == self.errors {
            return tracing::debug!("component files read again: the errors are the same");
        }
        for error in &errors {
            tracing::error!("{error}");
        }
        tracing::warn!("files not reloaded: the previous components and rules stay in use");
        engine.metrics.count_reload(false);
        self.errors = errors;
    }
}

/// Waits until files have changed, and nothing changes any more.
async fn settled(changed: &Notify) {
    let _ = clock::within(POLL_INTERVAL, changed.notified()).await;
    let quiet = async { while clock::within(DEBOUNCE, changed.notified()).await.is_some() {} };
    let _ = clock::within(MAX_DEBOUNCE, quiet).await;
}

fn log(notice: &Diagnostic) {
    match notice.severity {
        Severity::Info => tracing::info!("{notice}"),
        Severity::Warning | Severity::Error => tracing::warn!("{notice}"),
    }
}
