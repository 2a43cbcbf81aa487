//! Joins the results of shards.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, Metadata},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{
    error::{Action, Advice, MissingConversations, RunError, file_error},
    scan::{Header, Lines, Span, empty, read_header, scan},
    shard::Shard,
    store::{RESULTS, Source, check_header, lock, to_line, write_file},
    tally::{RunSummary, Tally},
};

/// How many missing conversations and shards an error lists.
const LISTED: usize = 5;
/// In how many missing conversations an error looks for missing shards.
const SEARCHED: usize = 10_000;
/// How many files stay open. More are opened for each conversation, because processes may often open
/// only 1,024 files.
const MAX_OPEN: usize = 256;

/// The conversations of several files.
struct Merge {
    header: Header,
    files: Vec<ShardFile>,
    /// The place of each conversation: which file, and where in it.
    spans: BTreeMap<usize, (usize, Span)>,
    tally: Tally,
}

/// The results of a shard.
struct ShardFile {
    path: PathBuf,
    /// The shard, unless the results are those of a whole run.
    shard: Option<Shard>,
    source: ShardSource,
}

enum ShardSource {
    Open(Source),
    /// Its size and the time of its latest change show whether a run continues the shard.
    Closed(Metadata),
}

/// Joins the results of shards into one `results.jsonl`, which is the same as that of a run that was
/// not divided.
///
/// # Errors
///
/// Fails if a file cannot be used, if the files are not of the same run, and if a conversation is
/// missing or is in two files.
pub fn merge(folders: &[PathBuf], out: &Path) -> Result<RunSummary, RunError> {
    let (first, others) = folders.split_first().ok_or(RunError::NoShards)?;
    let mut merge = Merge::new(first)?;
    others.iter().try_for_each(|folder| merge.add(folder))?;
    merge.check_complete()?;
    fs::create_dir_all(out).map_err(file_error(Action::Create, out))?;
    let _lock = lock(out)?;
    let results = out.join(RESULTS);
    merge.check_target(&results)?;
    merge.write(&results)?;
    Ok(RunSummary { results, resumed: 0, tally: merge.tally })
}

impl Merge {
    fn new(folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(RESULTS);
        let header = read_header(&mut Lines::open(&path)?, &path)?;
        let header = Header { shard: None, ..header };
        let mut merge =
            Self { header, files: Vec::new(), spans: BTreeMap::new(), tally: Tally::default() };
        merge.add(folder)?;
        Ok(merge)
    }

    /// Adds the results in a folder.
    fn add(&mut self, folder: &Path) -> Result<(), RunError> {
        let path = folder.join(RESULTS);
        let file = File::open(&path).map_err(file_error(Action::Open, &path))?;
        let shared = file.try_clone().map_err(file_error(Action::Open, &path))?;
        let metadata = file.metadata().map_err(file_error(Action::Read, &path))?;
        let scan = scan(Lines::new(shared), &path)?.ok_or_else(|| empty(&path))?;
        if let Some(line) = scan.torn {
            tracing::warn!("{}:{line}: skipped an incomplete line", path.display());
        }
        if let Some(difference) = self.header.difference(&scan.header) {
            let first = self.files.first().map_or_else(PathBuf::new, |file| file.path.clone());
            return Err(RunError::DifferentRuns { first, second: path, difference });
        }
        let number = self.files.len();
        let source = if number < MAX_OPEN {
            ShardSource::Open(Source::from(file))
        } else {
            ShardSource::Closed(metadata)
        };
        self.files.push(ShardFile { path, shard: scan.header.shard, source });
        for (index, span) in scan.spans {
            if let Some((earlier, _)) = self.spans.insert(index, (number, span)) {
                let [first, second] = [earlier, number].map(|it| self.files[it].path.clone());
                return Err(RunError::Twice { index, first, second });
            }
        }
        self.tally.join(scan.tally);
        Ok(())
    }

    fn check_complete(&self) -> Result<(), RunError> {
        let conversations = self.header.conversations;
        let count = conversations - self.spans.len();
        if count == 0 {
            return Ok(());
        }
        let missing = || (0..conversations).filter(|index| !self.spans.contains_key(index));
        let first = missing().take(LISTED).collect();
        let divided = self.files.iter().find_map(|file| file.shard);
        let divided = divided.unwrap_or_else(Shard::whole);
        let shards: BTreeSet<_> = missing().take(SEARCHED).map(|index| divided.of(index)).collect();
        let shards = shards.into_iter().take(LISTED).collect();
        let missing = MissingConversations { count, conversations, first, shards };
        Err(RunError::Missing { missing })
    }

    /// Refuses to replace anything but an earlier merge of the same run.
    fn check_target(&self, results: &Path) -> Result<(), RunError> {
        if !results.exists() {
            return Ok(());
        }
        let advice = Advice::Delete;
        let found = read_header(&mut Lines::open(results)?, results)
            .map_err(|error| error.advise(advice))?;
        check_header(&self.header, &found, results, advice)
    }

    fn write(&mut self, results: &Path) -> Result<(), RunError> {
        let Self { header, files, spans, .. } = self;
        write_file(results, |target| {
            target.write_all(&to_line(header)?)?;
            spans.values().try_for_each(|(file, span)| files[*file].copy(*span, target))
        })
    }
}

impl ShardFile {
    /// Copies a line to a writer.
    fn copy(&mut self, span: Span, target: &mut impl Write) -> io::Result<()> {
        let scanned = match &mut self.source {
            ShardSource::Open(source) => return source.copy(span, target),
            ShardSource::Closed(metadata) => metadata,
        };
        let error = |problem: &str| {
            io::Error::other(format!("cannot read {}: {problem}", self.path.display()))
        };
        let file = File::open(&self.path).map_err(|problem| error(&problem.to_string()))?;
        if has_changed(scanned, &file.metadata()?) {
            return Err(error("the file changed during the merge"));
        }
        Source::from(file).copy(span, target)
    }
}

fn has_changed(before: &Metadata, after: &Metadata) -> bool {
    // Some file systems have no time of the latest change.
    before.len() != after.len() || before.modified().ok() != after.modified().ok()
}
