//! Watches component files. No other file uses the file-watching crate.

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

/// Notifies of possible changes to component files until dropped.
#[derive(Default)]
pub(super) struct Watch {
    /// Must be kept: the watcher stops when it is dropped.
    watcher: Option<RecommendedWatcher>,
    /// The warnings that have been logged.
    warnings: BTreeSet<String>,
}

impl Watch {
    /// Watches the paths again, because a link in a path may lead to a different folder by now. If
    /// the system has no watcher left, such as inotify's 128 for each user, the old one continues.
    pub(super) fn renew(self, paths: &[PathBuf], changed: Arc<Notify>) -> Self {
        let (watcher, warnings) = match watcher(paths, changed) {
            Ok((watcher, warnings)) => (Some(watcher), warnings),
            Err(error) => (self.watcher, BTreeSet::from([format!("cannot watch files: {error}")])),
        };
        for warning in warnings.difference(&self.warnings) {
            tracing::warn!("{warning}; components are reloaded once a minute");
        }
        Self { watcher, warnings }
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

/// Returns a path both as written and as resolved. The system determines which of the two appears
/// in events.
fn names(path: &Path) -> impl Iterator<Item = PathBuf> {
    [Some(path.to_owned()), fs::canonicalize(path).ok()].into_iter().flatten()
}

/// Returns the folders to watch for changes to a path: the path itself, if it is a folder, and its
/// parent.
fn folders(path: &Path) -> impl Iterator<Item = &Path> {
    let itself = Some(path).filter(|path| path.is_dir());
    itself.into_iter().chain(path.parent())
}

/// Returns `true` if the error means that a path does not exist. A missing path needs no warning:
/// the watch on its parent reports when it appears.
fn is_missing(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Returns `true` if the change behind an event may affect components. Reads do not, and neither do
/// changes to other files in a parent folder.
fn may_matter(event: &Event, names: &BTreeSet<PathBuf>) -> bool {
    let concerns_components = |path: &PathBuf| {
        names.contains(path)
            || path.parent().is_some_and(|parent| names.contains(parent))
            // Kubernetes replaces this link to update all files in a folder.
            || path.ends_with("..data")
    };
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => {}
        EventKind::Access(_) => return false,
        _ => {}
    }
    event.need_rescan() || event.paths.iter().any(concerns_components)
}
