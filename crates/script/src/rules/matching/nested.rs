//! Conditions inside of conditions.

use std::cell::Cell;

use serde::{Deserialize, Deserializer, de::Error};

/// Maximum number of conditions inside of each other.
const MAX_DEPTH: usize = 8;

thread_local! {
    /// The depth of the condition that this thread reads. `Deserialize` has no parameter for it.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// A value inside of another value of its type.
#[derive(Debug)]
pub(super) struct Nested<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Nested<T> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let depth = DEPTH.get();
        if depth == MAX_DEPTH {
            let limit = format!("expected at most {MAX_DEPTH} levels");
            return Err(D::Error::custom(format!("the conditions are nested too deep; {limit}")));
        }
        DEPTH.set(depth + 1);
        let _restore = scopeguard::guard((), |()| DEPTH.set(depth));
        T::deserialize(source).map(Self)
    }
}
