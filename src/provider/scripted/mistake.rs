use std::fmt;

/// What is wrong with a chain, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// From the outermost to the innermost; empty where the whole is meant.
    place: String,
    what: String,
}

impl Mistake {
    /// Something wrong with what is being looked at.
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { place: String::new(), what: what.into() }
    }

    /// The same, seen from around it.
    pub(super) fn within(self, place: impl fmt::Display) -> Self {
        let place = match self.place.as_str() {
            "" => place.to_string(),
            inner => format!("{place}, {inner}"),
        };
        Self { place, ..self }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.as_str() {
            "" => f.write_str(&self.what),
            place => write!(f, "{place}: {}", self.what),
        }
    }
}

impl std::error::Error for Mistake {}
