//! Appends results and rewrites them in order.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use mynah_core::base::{
    file_lock::{FileLock, InUse},
    files,
};

use super::{
    error::{Action, Advice, RunError, file_error},
    scan::{Header, Lines, Scan, Span, scan},
    tally::Tally,
};
use crate::SimulatedConversation;

/// Name of the file with the results.
pub(crate) const RESULTS: &str = "results.jsonl";
/// The files that belong to the results. A fresh run removes them.
const DERIVED: [&str; 3] = ["report.json", "report.html", "timings.json"];

/// What happens to the results of an earlier run in the same folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EarlierResults {
    /// Conversations of the same run are not played again. The results of another run are an error.
    #[default]
    Keep,
    /// Like [`Keep`](Self::Keep), but conversations that failed are played again.
    KeepCompleted,
    /// They are replaced, even those of another run.
    Replace,
}

/// The results of a run, to which conversations are appended.
pub(super) struct Store {
    path: PathBuf,
    file: File,
    header: Header,
    spans: BTreeMap<usize, Span>,
    /// The end of the last complete line.
    end: u64,
    pub(super) tally: Tally,
    /// Keeps other processes from writing to the folder.
    _lock: Option<FileLock>,
}

impl Store {
    /// Opens the results in a folder, and removes an incomplete last line.
    pub(super) fn open(
        folder: &Path,
        header: Header,
        earlier: EarlierResults,
    ) -> Result<Self, RunError> {
        fs::create_dir_all(folder).map_err(file_error(Action::Create, folder))?;
        let lock = lock(folder)?;
        let path = folder.join(RESULTS);
        if earlier == EarlierResults::KeepCompleted {
            remove_failed(&path, &header)?;
        }
        let open_error = || file_error(Action::Open, &path);
        let options = File::options().read(true).append(true).create(true).clone();
        let file = options.open(&path).map_err(open_error())?;
        let (mut spans, mut tally, mut end) = (BTreeMap::new(), Tally::default(), 0);
        if earlier == EarlierResults::Replace {
            DERIVED.iter().try_for_each(|name| remove(&folder.join(name)))?;
        } else if let Some(scan) =
            scan_earlier(file.try_clone().map_err(open_error())?, &header, &path)?
        {
            report_torn(&scan, &path);
            (spans, tally, end) = (scan.spans, scan.tally, scan.end);
        }
        file.set_len(end).map_err(file_error(Action::Write, &path))?;
        let mut store = Self { path, file, header, spans, end, tally, _lock: lock };
        if end == 0 {
            let header = to_line(&store.header).map_err(|error| store.store_error(error))?;
            store.write(&header)?;
        }
        Ok(store)
    }

    /// Returns `true` if the results have the conversation at this position.
    pub(super) fn contains(&self, index: usize) -> bool {
        self.spans.contains_key(&index)
    }

    /// Appends the line of a conversation.
    pub(super) fn append(
        &mut self,
        conversation: &SimulatedConversation,
        line: io::Result<Vec<u8>>,
    ) -> Result<(), RunError> {
        let line = line.map_err(|error| self.store_error(error))?;
        let span = self.write(&line)?;
        self.spans.insert(conversation.index, span);
        self.tally.add(&conversation.result);
        Ok(())
    }

    /// Writes a line in one system call, so that a killed process leaves no other process's buffer
    /// behind. Removes what was written of the line if the disk is full.
    fn write(&mut self, line: &[u8]) -> Result<Span, RunError> {
        if let Err(error) = self.file.write_all(line) {
            // The next run also removes an incomplete line.
            let _ = self.file.set_len(self.end);
            return Err(self.store_error(error));
        }
        let span = Span { start: self.end, length: line.len() as u64 };
        self.end = span.end();
        Ok(span)
    }

    /// Writes the conversations in their order, and makes the file survive a power failure.
    pub(super) fn finish(self) -> Result<(PathBuf, Tally), RunError> {
        let is_sorted = self.spans.values().is_sorted_by_key(|span| span.start);
        if is_sorted {
            self.file.sync_all().map_err(|error| self.store_error(error))?;
        } else {
            let mut source = Source::new(&self.path)?;
            write_file(&self.path, |target| {
                target.write_all(&to_line(&self.header)?)?;
                self.spans.values().try_for_each(|span| source.copy(*span, target))
            })?;
        }
        Ok((self.path, self.tally))
    }

    fn store_error(&self, source: io::Error) -> RunError {
        let conversations = self.header.shard().conversations(self.header.conversations).len();
        let stored = self.spans.len();
        RunError::Store { path: self.path.clone(), stored, conversations, source }
    }
}

/// Refuses the header of another run or shard.
pub(super) fn check_header(
    expected: &Header,
    found: &Header,
    path: &Path,
    advice: Advice,
) -> Result<(), RunError> {
    let difference = expected.difference(found).or_else(|| expected.shard_difference(found));
    difference.map_or(Ok(()), |difference| {
        Err(RunError::OtherRun { path: path.to_owned(), difference, advice })
    })
}

/// Reads the results of an earlier, interrupted run, which must be the same run.
fn scan_earlier(file: File, header: &Header, path: &Path) -> Result<Option<Scan>, RunError> {
    let scan = scan(Lines::new(file), path).map_err(|error| error.advise(Advice::Fresh))?;
    if let Some(scan) = &scan {
        check_header(header, &scan.header, path, Advice::Fresh)?;
    }
    Ok(scan)
}

/// Removes the conversations that failed, so that they are played again.
fn remove_failed(path: &Path, header: &Header) -> Result<(), RunError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file.map_err(file_error(Action::Open, path))?,
    };
    let Some(scan) = scan_earlier(file, header, path)? else { return Ok(()) };
    if scan.tally.failed == 0 {
        return Ok(());
    }
    let mut source = Source::new(path)?;
    write_file(path, |target| {
        target.write_all(&to_line(header)?)?;
        scan.completed().try_for_each(|span| source.copy(span, target))
    })
}

fn report_torn(scan: &Scan, path: &Path) {
    if let Some(line) = scan.torn {
        tracing::warn!(
            "{}:{line}: removed an incomplete line; its conversation is played again",
            path.display()
        );
    }
}

fn remove(path: &Path) -> Result<(), RunError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(file_error(Action::Write, path)(error))
        }
        _ => Ok(()),
    }
}

/// Returns a value as a line of JSON.
pub(super) fn to_line(value: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// Results that are copied line by line.
pub(super) struct Source {
    reader: BufReader<File>,
    /// The end of the latest line.
    position: Option<u64>,
}

impl From<File> for Source {
    fn from(file: File) -> Self {
        Self { reader: BufReader::new(file), position: None }
    }
}

impl Source {
    pub(super) fn new(path: &Path) -> Result<Self, RunError> {
        Ok(Self::from(File::open(path).map_err(file_error(Action::Open, path))?))
    }

    /// Copies a line to a writer. Lines that follow each other are read ahead.
    pub(super) fn copy(&mut self, span: Span, target: &mut impl Write) -> io::Result<()> {
        if self.position != Some(span.start) {
            self.reader.seek(SeekFrom::Start(span.start))?;
        }
        let copied = io::copy(&mut (&mut self.reader).take(span.length), target)?;
        self.position = Some(span.start + copied);
        if copied < span.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }
}

/// Replaces a file atomically. After an error, the file is as it was.
pub(crate) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), RunError> {
    files::replace(path, write).map_err(file_error(Action::Write, path))
}

/// Locks a folder. Does nothing on Windows, where folders cannot be opened.
pub(super) fn lock(folder: &Path) -> Result<Option<FileLock>, RunError> {
    let lock = FileLock::of_folder(folder).map_err(file_error(Action::Open, folder))?;
    lock.map_err(|InUse| RunError::InUse { folder: folder.to_owned() })
}
