//! Recordings that are read again, because others have edited the file.

use std::collections::BTreeMap;

use super::{Added, Exchange, Recording, hash};

/// An exchange that was added to a recording and is not written yet.
#[derive(Debug)]
pub struct Unwritten {
    /// The exchange.
    pub exchange: Exchange,
    /// How many exchanges with the same request its session had before.
    uses: usize,
    /// How many answers to the same request were confirmed before.
    confirmed: usize,
}

impl Recording {
    /// Returns an exchange with what is known before it is added.
    pub fn unwritten(&self, key: u64, exchange: Exchange) -> Unwritten {
        let uses = self.uses.get(&(key, exchange.session.clone())).copied().unwrap_or_default();
        let index = self.by_request.get(&key);
        let confirmed = index.map_or(0, |index| self.rules[*index].confirmed);
        Unwritten { exchange, uses, confirmed }
    }

    /// Continues an earlier recording, of which some exchanges were not written. Adds them, and returns what
    /// each has changed.
    pub fn resume(
        &mut self,
        earlier: &Self,
        unwritten: &[Unwritten],
    ) -> Vec<Result<Added, String>> {
        let keys = self.keys_of(earlier);
        for (old, new) in &keys {
            self.set_confirmed(*new, earlier.rules[earlier.by_request[old]].confirmed);
        }
        // Those of the first one are from before all others.
        for Unwritten { exchange, confirmed, .. } in unwritten.iter().rev() {
            self.set_confirmed(self.key(exchange), *confirmed);
        }
        let add = |Unwritten { exchange, uses, .. }: &Unwritten| {
            let key = self.key(exchange);
            self.uses.insert((key, exchange.session.clone()), *uses);
            self.add_with_key(key, exchange)
        };
        let added = unwritten.iter().map(add).collect();
        for ((old, session), uses) in &earlier.uses {
            if let Some(new) = keys.get(old).filter(|new| self.by_request.contains_key(new)) {
                self.uses.insert((*new, session.clone()), *uses);
            }
        }
        for (old, session) in &earlier.conflicts {
            self.conflicts.extend(keys.get(old).map(|new| (*new, session.clone())));
        }
        added
    }

    /// Returns the keys that the requests of an earlier recording have now, by those that they had: the
    /// normalization may be another.
    fn keys_of(&self, earlier: &Self) -> BTreeMap<u64, u64> {
        let new = |(old, index): (&u64, &usize)| {
            let request = earlier.rules[*index].rule.request.as_ref()?;
            Some((*old, hash(request, &self.normalizer)))
        };
        earlier.by_request.iter().filter_map(new).collect()
    }

    fn set_confirmed(&mut self, key: u64, confirmed: usize) {
        if let Some(index) = self.by_request.get(&key) {
            let entry = &mut self.rules[*index];
            entry.confirmed = confirmed.min(entry.rule.steps.len());
        }
    }
}
