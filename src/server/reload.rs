//! Component files may change while they are served.

#[cfg(test)]
mod tests;
mod watch;

use std::{collections::BTreeSet, mem, path::PathBuf, sync::Arc, time::Duration};

use tokio::sync::Notify;

use self::watch::Watch;
use crate::{
    api::sidecar::Sidecar,
    base::{
        blocking::{Panicked, run_blocking},
        clock,
        diagnostics::{Diagnostic, Severity},
    },
    component::{self, Change, ComponentSpec, Context, Loaded},
};

/// How long nothing must have changed before the files are read: editors write in several steps.
const QUIET: Duration = Duration::from_millis(20);
/// How long to wait for that at most.
const UNQUIET: Duration = Duration::from_secs(1);
/// When the files are read though nothing seems to have changed: some file systems never say so.
/// As in daprd.
const UNASKED: Duration = Duration::from_secs(60);

/// Reads component files again when they change.
#[derive(Debug)]
pub(crate) struct Reload {
    paths: Vec<PathBuf>,
    context: Context,
    /// What was last without problems.
    served: Loaded,
    /// The errors of the last load; empty if it is served.
    errors: Vec<Diagnostic>,
}

impl Reload {
    /// Loads the components for the first time.
    pub(crate) fn new(paths: Vec<PathBuf>, context: Context) -> Result<Self, Vec<Diagnostic>> {
        let served = component::load(&paths, &context);
        served.notices.iter().for_each(log);
        if !served.errors.is_empty() {
            return Err(served.errors);
        }
        Ok(Self { paths, context, served, errors: Vec::new() })
    }

    /// What is served.
    pub(crate) fn components(&self) -> &[ComponentSpec] {
        &self.served.components
    }

    /// Has the sidecar serve what the files say, for as long as it is polled.
    pub(crate) async fn run(mut self, sidecar: Arc<Sidecar>) {
        let changed = Arc::new(Notify::new());
        let mut watch = Watch::default();
        loop {
            watch = match self.load(watch, changed.clone()).await {
                Ok((watch, loaded)) => {
                    self.take(loaded, &sidecar);
                    watch
                }
                Err(Panicked) => Watch::default(),
            };
            let _ = clock::within(UNASKED, changed.notified()).await;
            let quiet = async { while clock::within(QUIET, changed.notified()).await.is_some() {} };
            let _ = clock::within(UNQUIET, quiet).await;
        }
    }

    /// Watches before it loads, so that what changes between the two is not missed.
    async fn load(&self, old: Watch, changed: Arc<Notify>) -> Result<(Watch, Loaded), Panicked> {
        let (paths, context) = (self.paths.clone(), self.context.clone());
        let work = move || {
            let watch = old.renew(&paths, changed);
            (watch, component::load(&paths, &context))
        };
        run_blocking(work).await
    }

    fn take(&mut self, mut loaded: Loaded, sidecar: &Sidecar) {
        loaded.errors.extend(component::truncated_files(&self.served, &loaded));
        if loaded.errors.is_empty() {
            self.serve(loaded, sidecar);
        } else {
            self.refuse(loaded.errors, sidecar);
        }
    }

    fn serve(&mut self, loaded: Loaded, sidecar: &Sidecar) {
        let known: BTreeSet<_> = self.served.notices.iter().collect();
        loaded.notices.iter().filter(|notice| !known.contains(notice)).for_each(log);
        let were_broken = !mem::take(&mut self.errors).is_empty();
        let change = Change::between(&self.served.components, &loaded.components);
        self.served = loaded;
        if !change.is_empty() {
            let names = change.to_string();
            sidecar.metrics.count_reload(true);
            sidecar.change(change);
            tracing::info!("components reloaded: {names}");
        } else if were_broken {
            tracing::info!("the problems are gone, and the components are as before");
        } else {
            tracing::debug!("component files read again: nothing changed");
        }
    }

    fn refuse(&mut self, errors: Vec<Diagnostic>, sidecar: &Sidecar) {
        if errors == self.errors {
            return tracing::debug!("component files read again: the same problems");
        }
        for error in &errors {
            tracing::error!("{error}");
        }
        tracing::warn!("components not reloaded: those from before the problems go on");
        sidecar.metrics.count_reload(false);
        self.errors = errors;
    }
}

fn log(notice: &Diagnostic) {
    match notice.severity {
        Severity::Info => tracing::info!("{notice}"),
        Severity::Warning | Severity::Error => tracing::warn!("{notice}"),
    }
}
