//! Folders for the files that tests write.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
};

use rustix::{
    io::Errno,
    process::{Pid, test_kill_process},
};

/// Creates an empty folder under `target`. A later run of the tests removes it, so that its files
/// can be inspected until then.
pub fn scratch(name: &str) -> PathBuf {
    static RUN: LazyLock<PathBuf> = LazyLock::new(create_run_folder);
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = RUN.join(format!("{name}-{count}"));
    fs::create_dir(&folder).unwrap();
    folder
}

fn create_run_folder() -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(root).unwrap();
    remove_ended_runs(root);
    let folder = root.join(process::id().to_string());
    // Left by an earlier process with the same id.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    folder
}

/// Removes the folders that are named after processes that have ended.
fn remove_ended_runs(root: &Path) {
    for entry in fs::read_dir(root).unwrap() {
        let run = entry.unwrap().path();
        if process_of(&run).is_some_and(has_ended) {
            // Best effort: another run may be removing the same folder.
            let _ = fs::remove_dir_all(&run);
        }
    }
}

fn process_of(run: &Path) -> Option<Pid> {
    Pid::from_raw(run.file_name()?.to_str()?.parse().ok()?)
}

fn has_ended(process: Pid) -> bool {
    test_kill_process(process) == Err(Errno::SRCH)
}

#[test]
fn removes_the_folders_of_earlier_runs_only() {
    let mut ended = process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let root = scratch("runs");
    let [earlier, current, other] =
        [ended.id().to_string(), process::id().to_string(), "other".to_owned()]
            .map(|name| root.join(name));
    for folder in [&earlier, &current, &other] {
        fs::create_dir_all(folder.join("files-0")).unwrap();
    }
    remove_ended_runs(&root);
    assert!(!earlier.exists());
    assert!(current.exists() && other.exists());
}
