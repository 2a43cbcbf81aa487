//! The findings in one document, before the file that they are in is added.

use super::{Level, Place};

/// A message and the place that it is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Remark {
    pub(super) place: Place,
    pub(super) message: String,
}

impl Remark {
    pub(super) fn new(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into() }
    }
}

/// Everything that was found in one document.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) problems: Vec<Remark>,
    pub(super) notices: Vec<(Level, Remark)>,
    /// Where the component names another one to answer in its place.
    pub(super) fallback: Option<Place>,
}

impl Report {
    pub(super) fn problem(&mut self, place: Place, message: impl Into<String>) {
        self.problems.push(Remark::new(place, message));
    }

    pub(super) fn notice(&mut self, level: Level, place: Place, message: impl Into<String>) {
        self.notices.push((level, Remark::new(place, message)));
    }

    /// Turns all problems into one warning: the component said `ignoreErrors`.
    pub(super) fn forgive(&mut self, place: Place, component: &str) {
        if self.problems.is_empty() {
            return;
        }
        self.problems.sort();
        let messages: Vec<_> = self.problems.drain(..).map(|problem| problem.message).collect();
        let messages = messages.join(" | ");
        let message = format!("component {component} is absent (spec.ignoreErrors): {messages}");
        self.notice(Level::Warning, place, message);
    }
}
