//! Watches component files. Only this file uses the file-watching crate.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{self, Path, PathBuf},
    sync::Arc,
};

use notify::{
    ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode},
};
use tokio::sync::Notify;

/// Notifies of possible changes of component files until it is dropped.
#[derive(Default)]
pub(super) struct Watch {
    /// Never read: it watches until it is dropped.
    _watcher: Option<RecommendedWatcher>,
    /// The warnings that have been logged.
    warnings: BTreeSet<String>,
}

impl Watch {
    /// Watches the paths again, since a path may lead to another folder by now.
    pub(super) fn renew(self, paths: &[PathBuf], changed: Arc<Notify>) -> Self {
        let (watcher, warnings) = match watcher(paths, changed) {
            Ok((watcher, warnings)) => (Some(watcher), warnings),
            Err(error) => (None, BTreeSet::from([format!("cannot watch files: {error}")])),
        };
        for warning in warnings.difference(&self.warnings) {
            tracing::warn!("{warning}; components are reloaded once a minute");
        }
        Self { _watcher: watcher, warnings }
    }
}

/// Returns a watcher, and warnings about paths that it cannot watch.
fn watcher(
    paths: &[PathBuf],
    changed: Arc<Notify>,
) -> notify::Result<(RecommendedWatcher, BTreeSet<String>)> {
    let paths: Vec<_> = paths.iter().map(|path| absolute(path)).collect();
    let names = paths.iter().flat_map(|path| names(path)).collect();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        if event.is_ok_and(|event| !may_matter(&event, &names)) {
            return;
        }
        changed.notify_one();
    })?;
    let folders: BTreeSet<_> = paths.iter().flat_map(|path| folders(path)).collect();
    let mut warnings = BTreeSet::new();
    for folder in folders {
        if let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive)
            && !is_missing(&error)
        {
            let error = notify::Error { paths: Vec::new(), ..error }.to_string();
            let error = error.trim_end_matches('.');
            warnings.insert(format!("cannot watch {}: {error}", folder.display()));
        }
    }
    Ok((watcher, warnings))
}

fn absolute(path: &Path) -> PathBuf {
    path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A path as written and as resolved. Which of the two events name depends on the system.
fn names(path: &Path) -> impl Iterator<Item = PathBuf> {
    [Some(path.to_owned()), fs::canonicalize(path).ok()].into_iter().flatten()
}

/// The folders to watch for changes of a path: itself and its parent.
fn folders(path: &Path) -> impl Iterator<Item = &Path> {
    let itself = Some(path).filter(|path| path.is_dir());
    itself.into_iter().chain(path.parent())
}

/// A missing path is not an error: watching its parent shows when it appears.
fn is_missing(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Whether an event may change components. Reads do not, nor do changes of other files in a parent
/// folder.
fn may_matter(event: &Event, names: &BTreeSet<PathBuf>) -> bool {
    let is_of_a_path = |path: &PathBuf| {
        names.contains(path)
            || path.parent().is_some_and(|parent| names.contains(parent))
            // Kubernetes replaces this link to update all files of a folder.
            || path.ends_with("..data")
    };
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => {}
        EventKind::Access(_) => return false,
        _ => {}
    }
    event.need_rescan() || event.paths.iter().any(is_of_a_path)
}
