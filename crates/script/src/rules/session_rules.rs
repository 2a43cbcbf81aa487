//! The rules that tests have set for their sessions.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    sync::{
        Arc, Mutex, PoisonError, RwLock, RwLockWriteGuard,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use mynah_core::base::{
    clock::Moment,
    diagnostics::{Diagnostic, Place},
    kept_memory::KeptMemory,
    yaml::{Value, to_json},
};

use super::{Rules, RulesText, rule::Rule, uses::key};

/// The memory of a step without its texts.
const STEP: usize = 640;
/// The memory of a template.
const TEMPLATE: usize = 8 * 1024;

/// The rules that tests have set for their sessions.
#[derive(Debug, Default)]
pub struct SessionRules {
    /// Whether there are any, so that most calls need no lock.
    is_active: AtomicBool,
    sessions: RwLock<BTreeMap<String, Entry>>,
}

/// The rules of a session.
#[derive(Debug)]
struct Entry {
    rules: Arc<Rules>,
    last_use: Mutex<Moment>,
    _memory: KeptMemory,
}

impl SessionRules {
    /// Returns the rules of a session, if it has any.
    pub fn get(&self, session: &str) -> Option<Arc<Rules>> {
        if !self.is_active.load(Ordering::Relaxed) {
            return None;
        }
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        let entry = sessions.get(session)?;
        *entry.last_use.lock().unwrap_or_else(PoisonError::into_inner) = Moment::now();
        Some(entry.rules.clone())
    }

    /// Returns the sessions whose rules have not been used for this time.
    pub fn idle(&self, time: Duration) -> Vec<String> {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        let last_use =
            |entry: &Entry| *entry.last_use.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = sessions.iter().filter(|(_, entry)| last_use(entry).age() > time);
        idle.map(|(session, _)| session.clone()).collect()
    }

    /// Returns the names of at most `max` sessions that have rules, unless this session has some.
    pub(super) fn others(&self, session: &str, max: usize) -> Vec<String> {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        if sessions.contains_key(session) {
            return Vec::new();
        }
        sessions.keys().take(max).cloned().collect()
    }

    /// Returns the rules of all sessions, by name.
    pub fn all(&self) -> Vec<Arc<Rules>> {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        sessions.values().map(|entry| entry.rules.clone()).collect()
    }

    /// Replaces the rules of a session. Returns the rules that it had.
    pub fn set(&self, session: &str, rules: Arc<Rules>, memory: KeptMemory) -> Option<Arc<Rules>> {
        let mut sessions = self.write();
        let entry = Entry { rules, last_use: Moment::now().into(), _memory: memory };
        let old = sessions.insert(session.to_owned(), entry);
        self.is_active.store(true, Ordering::Relaxed);
        old.map(|entry| entry.rules)
    }

    /// Removes the rules of a session, or of all sessions. Returns them with the names of the sessions.
    pub fn remove(&self, session: Option<&str>) -> Vec<(String, Arc<Rules>)> {
        let mut sessions = self.write();
        let removed = match session {
            Some(session) => sessions.remove_entry(session).into_iter().collect(),
            None => mem::take(&mut *sessions),
        };
        self.is_active.store(!sessions.is_empty(), Ordering::Relaxed);
        removed.into_iter().map(|(session, entry)| (session, entry.rules)).collect()
    }

    /// Ignores poisoning, because a panic cannot leave the map in an invalid state.
    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<String, Entry>> {
        self.sessions.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rules {
    /// Reads the rules of a session. Those of the first text are tried first.
    ///
    /// # Errors
    ///
    /// Fails with all errors in the texts.
    pub fn of_session(session: &str, texts: Vec<String>) -> Result<Self, Vec<Diagnostic>> {
        let source = format!("session {session}");
        // Each text has a source of its own, by which its rules are found.
        let text = |text| RulesText::new(&source, text);
        Self::read_texts(texts.into_iter().map(text).collect(), true)
    }

    /// Returns `true` if the last text has rules.
    pub fn are_in_last_text(&self) -> bool {
        let last = self.texts().last().map(|text| &text.source);
        last.is_some_and(|last| self.rules.iter().any(|rule| Arc::ptr_eq(last, &rule.source)))
    }

    /// Returns `true` if a text has the list `expect`.
    pub fn has_expectations(&self) -> bool {
        self.files.iter().any(|file| !file.expectations.is_empty())
    }

    /// Returns an upper bound of what steps and templates take in addition to the
    /// [bytes](mynah_core::base::kept_memory::TEXT_BYTE) of the text.
    pub fn memory(&self) -> usize {
        let steps: usize = self.rules.iter().map(|rule| rule.answers.steps().len()).sum();
        steps * STEP + self.templates.count() * TEMPLATE
    }

    /// Returns the key of each rule's counter.
    pub fn counters(&self) -> Vec<String> {
        self.rules.iter().map(|rule| key(rule)).collect()
    }

    /// Returns the keys of the counters of those rules that `new` has not, or not with the same content.
    pub fn changed_counters(&self, new: &Self) -> Vec<String> {
        if self == new {
            return Vec::new();
        }
        let kept = new.contents();
        let is_kept =
            |content: &(String, Option<String>)| content.1.is_some() && kept.contains(content);
        let changed = self.contents().into_iter().filter(|content| !is_kept(content));
        changed.map(|(key, _)| key).collect()
    }

    /// Returns the key of each rule's counter with the content of the rule, which is not known if it was
    /// converted.
    fn contents(&self) -> BTreeSet<(String, Option<String>)> {
        let written = |text| written_rules(text).into_iter().collect::<BTreeMap<_, _>>();
        let texts: Vec<_> = self.texts().map(|text| (&text.source, written(text))).collect();
        let content = |rule: &Rule| {
            let (_, written) = texts.iter().find(|(it, _)| Arc::ptr_eq(it, &rule.source))?;
            written.get(&rule.place?).cloned()
        };
        self.rules.iter().map(|rule| (key(rule), content(rule))).collect()
    }
}

/// Returns the place and the content of each rule in a text.
fn written_rules(text: &RulesText) -> Vec<(Place, String)> {
    let Ok(Some(tree)) = text.parse() else { return Vec::new() };
    let Some(Value::List(nodes)) = tree.root.field("rules").map(|list| &list.value) else {
        return Vec::new();
    };
    nodes.iter().map(|node| (node.place, to_json(node))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mynah_core::base::{clock::pause, memory::MemoryBudget};

    #[tokio::test(start_paused = true)]
    async fn sessions_are_idle_without_calls() {
        let budget = Arc::new(MemoryBudget::new(1 << 20));
        let table = SessionRules::default();
        for session in ["used", "idle"] {
            let rules =
                Rules::of_session(session, vec!["rules: [{respond: a}]".to_owned()]).unwrap();
            let old = table.set(session, rules.into(), KeptMemory::new(&budget, &budget));
            assert!(old.is_none());
        }
        let hour = Duration::from_secs(3600);
        for _ in 0..2 {
            pause(hour * 2 / 3).await;
            assert!(table.get("used").is_some());
        }
        assert_eq!(table.idle(hour), ["idle"]);
    }
}
