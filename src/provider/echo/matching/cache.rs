//! A cache of what depends on the offered tools alone.

use std::{
    cell::RefCell,
    hash::{DefaultHasher, Hash, Hasher},
    rc::Rc,
};

use super::index::ToolIndex;
use crate::chat::Tool;

const MAX_ENTRIES: usize = 16;
const MAX_BYTES: usize = 1024 * 1024;

thread_local! {
    /// Each serving thread has its own cache, which needs no lock.
    static CACHE: RefCell<Cache> = RefCell::new(Cache::new(MAX_ENTRIES));
}

/// The indexes of the tools in the latest requests: applications offer the same tools every time.
pub(super) struct Cache {
    max_entries: usize,
    /// From the least to the most recently used.
    entries: Vec<Entry>,
}

struct Entry {
    hash: u64,
    index: Rc<ToolIndex>,
}

/// Returns the index of `tools` from the cache of this thread.
pub(super) fn cached_index(tools: &[Tool]) -> Rc<ToolIndex> {
    CACHE.with_borrow_mut(|cache| cache.index(tools))
}

impl Cache {
    pub(super) fn new(max_entries: usize) -> Self {
        Self { max_entries, entries: Vec::new() }
    }

    /// Returns the index of `tools`, which is built unless the cache contains it.
    pub(super) fn index(&mut self, tools: &[Tool]) -> Rc<ToolIndex> {
        let names = || tools.iter().map(|tool| tool.name.as_str());
        let hash = hash(names());
        let is_same = |entry: &Entry| entry.hash == hash && entry.index.is_for(names());
        let entry = match self.entries.iter().rposition(is_same) {
            Some(at) => self.entries.remove(at),
            None => Entry { hash, index: Rc::new(ToolIndex::new(names())) },
        };
        let index = Rc::clone(&entry.index);
        self.entries.push(entry);
        self.shrink();
        index
    }

    fn shrink(&mut self) {
        let size = |entry: &Entry| entry.index.size();
        while self.entries.len() > self.max_entries
            || self.entries.iter().map(size).sum::<usize>() > MAX_BYTES
        {
            self.entries.remove(0);
        }
    }
}

fn hash<'t>(names: impl Iterator<Item = &'t str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    names.for_each(|name| name.hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::Cache;
    use crate::chat::Tool;

    fn tools(names: &[&str]) -> Vec<Tool> {
        let tool =
            |name: &&str| Tool { name: (*name).to_owned(), description: None, parameters: None };
        names.iter().map(tool).collect()
    }

    #[test]
    fn keeps_the_most_recently_used_indexes() {
        let mut cache = Cache::new(2);
        let first = cache.index(&tools(&["a", "b"]));
        cache.index(&tools(&["ab"]));
        assert!(Rc::ptr_eq(&first, &cache.index(&tools(&["a", "b"]))));
        cache.index(&tools(&["c"]));
        assert!(Rc::ptr_eq(&first, &cache.index(&tools(&["a", "b"]))));
        cache.index(&tools(&["c"]));
        cache.index(&tools(&["d"]));
        assert!(!Rc::ptr_eq(&first, &cache.index(&tools(&["a", "b"]))));
    }

    #[test]
    fn large_indexes_are_not_kept() {
        let mut cache = Cache::new(2);
        let names: Vec<_> = (0..5000).map(|at| format!("tool_{at}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        cache.index(&tools(&names));
        assert!(cache.entries.is_empty());
    }
}
