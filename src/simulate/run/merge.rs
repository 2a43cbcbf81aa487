//! Joins the results of shards.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use super::{
    error::{Action, Advice, MissingConversations, RunError, file_error},
    header::Header,
    line::{Lines, Span},
    scan::{empty, read_header, scan},
    shard::Shard,
    store::{FolderLock, RESULTS, Source, check_header, to_line, write_file},
    tally::{RunSummary, Tally},
};

/// How many missing conversations and shards an error lists.
const LISTED: usize = 5;
/// In how many missing conversations an error looks for missing shards.
const SEARCHED: usize = 10_000;

/// The conversations of several files.
struct Merge {
    header: Header,
    /// The file of a shard and its shard, if it has one.
    shards: Vec<(PathBuf, Option<Shard>)>,
    /// The place of each conversation: which file, and where in it.
    spans: BTreeMap<usize, (usize, Span)>,
    tally: Tally,
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
    let _lock = FolderLock::new(out)?;
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
            Self { header, shards: Vec::new(), spans: BTreeMap::new(), tally: Tally::default() };
        merge.add(folder)?;
        Ok(merge)
    }

    /// Adds the results in a folder.
    fn add(&mut self, folder: &Path) -> Result<(), RunError> {
        let path = folder.join(RESULTS);
        let scan = scan(Lines::open(&path)?, &path)?.ok_or_else(|| empty(&path))?;
        if let Some(line) = scan.torn {
            tracing::warn!("{}:{line}: skipped an incomplete line", path.display());
        }
        if let Some(difference) = self.header.difference(&scan.header) {
            let first = self.shards.first().map_or_else(PathBuf::new, |(path, _)| path.clone());
            return Err(RunError::DifferentRuns { first, second: path, difference });
        }
        let number = self.shards.len();
        self.shards.push((path, scan.header.shard));
        for (index, span) in scan.spans {
            if let Some((earlier, _)) = self.spans.insert(index, (number, span)) {
                let [first, second] = [earlier, number].map(|it| self.shards[it].0.clone());
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
        let divided = self.shards.iter().find_map(|(_, shard)| *shard);
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

    fn write(&self, results: &Path) -> Result<(), RunError> {
        let sources: Result<Vec<_>, _> =
            self.shards.iter().map(|(path, _)| Source::new(path)).collect();
        let mut sources = sources?;
        write_file(results, |target| {
            target.write_all(&to_line(&self.header)?)?;
            self.spans.values().try_for_each(|(file, span)| sources[*file].copy(*span, target))
        })
    }
}
