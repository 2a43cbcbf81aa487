//! `mynah inspect` and `mynah report`, which show the calls in a journal file, and the inspector of
//! `mynah run --inspect`.

use std::{
    io::{self, IsTerminal, Write},
    path::PathBuf,
};

use thiserror::Error as ThisError;

use super::{
    args::{InspectArgs, ReportArgs},
    journal_file::{self, JournalFileError},
    signals::Signals,
};
use crate::{
    base::{environment::Environment, files, terminal::escape_controls},
    server::{Page, ServeError, StartError},
};

/// An error of `mynah inspect` or `mynah report`.
#[derive(Debug, ThisError)]
pub(super) enum Error {
    /// The journal file cannot be shown.
    #[error(transparent)]
    File(#[from] JournalFileError),
    /// The page cannot be served.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The page is no longer served.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// Signals cannot be received.
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
    /// The report cannot be written.
    #[error("cannot write {}", file.display())]
    Write {
        /// The file of the report.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Serves the inspector over a journal file until a signal arrives.
pub(super) async fn inspect(args: &InspectArgs, environment: &Environment) -> Result<(), Error> {
    let mut signals = Signals::for_shutdown().map_err(Error::Signals)?;
    let page = Page::bind(&journal_file::read(&args.file)?, args.port)?;
    let url = format!("{}/", page.address().url());
    // Ignore write errors: the reader is gone.
    let _ = writeln!(io::stdout(), "{} is at {url}", escape_controls(&args.file.to_string_lossy()));
    open(&url, environment);
    let stop = async {
        let _ = signals.next().await;
    };
    page.serve(stop).await?;
    Ok(())
}

/// Writes a journal file as one page.
pub(super) fn report(args: &ReportArgs) -> Result<(), Error> {
    let page = journal_file::read(&args.file)?.to_html();
    let written = files::replace(&args.out, |file| file.write_all(page.as_bytes()));
    written.map_err(|source| Error::Write { file: args.out.clone(), source })
}

/// Says where the inspector of a sidecar is, and opens it.
pub(super) fn open_live(url: &str, environment: &Environment) {
    say(&format!("the inspector is at {url}"));
    open(url, environment);
}

/// Keeps the inspector of a sidecar open until a signal arrives. Without a terminal, nobody could send
/// one.
pub(super) async fn keep_open(code: u8, signals: &mut Signals) {
    if io::stderr().is_terminal() {
        say(&format!("the command has exited with {code}; Ctrl-C closes the inspector"));
        let _ = signals.next().await;
    }
}

fn say(message: &str) {
    // Ignore write errors: the reader is gone.
    let _ = writeln!(io::stderr(), "mynah: {message}");
}

/// Opens a page in the browser of the person at the terminal, if there is one.
fn open(url: &str, environment: &Environment) {
    if io::stderr().is_terminal()
        && has_browser(environment)
        && let Err(error) = open::that_detached(url)
    {
        tracing::warn!(%error, "no browser opens the page");
    }
}

/// Without a desktop, Linux would open a browser within the terminal.
fn has_browser(environment: &Environment) -> bool {
    let is_set = |name: &&str| environment.get(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux")
        || ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].iter().any(is_set)
}
