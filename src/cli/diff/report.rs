//! The report of a comparison.

use std::fmt;

use serde_json::{Value, json};

use super::compare::Change;
use crate::{
    base::{terminal::escape_controls, text::count},
    chat::Usage,
    cli::args::Aspect,
};

/// An exchange that was compared.
#[derive(Debug, Default)]
pub(super) struct Compared {
    pub(super) component: String,
    pub(super) name: String,
    /// The number of the answer, if several are recorded.
    pub(super) answer: Option<usize>,
    pub(super) changes: Vec<Change>,
    /// Whether the model is not asked, because other conditions than the request do not hold.
    pub(super) is_left_out: bool,
    /// Why there is no answer.
    pub(super) failure: Option<String>,
    /// The tokens of the new answer.
    pub(super) usage: Option<Usage>,
}

/// The report of a comparison.
#[derive(Debug, Default)]
pub(super) struct Report {
    compared: Vec<Compared>,
    /// Number of requests without an answer.
    failed: usize,
}

impl Report {
    pub(super) fn add(&mut self, compared: Compared) {
        self.failed += usize::from(compared.failure.is_some());
        self.compared.push(compared);
    }

    /// Returns the number of exchanges.
    pub(super) fn len(&self) -> usize {
        self.compared.len()
    }

    fn left_out(&self) -> usize {
        self.compared.iter().filter(|it| it.is_left_out).count()
    }

    /// Returns the number of requests without an answer.
    pub(super) fn failed(&self) -> usize {
        self.failed
    }

    /// Returns the number of answers that differ in an aspect.
    pub(super) fn changed_in(&self, aspect: Aspect) -> usize {
        let differs = |it: &&Compared| it.changes.iter().any(|change| change.aspect == aspect);
        self.compared.iter().filter(differs).count()
    }

    fn changed(&self) -> usize {
        self.compared.iter().filter(|it| !it.changes.is_empty()).count()
    }

    /// Returns the tokens of all requests and of all answers.
    fn tokens(&self) -> [u64; 2] {
        let usages = || self.compared.iter().filter_map(|it| it.usage);
        [usages().map(|it| it.prompt_tokens).sum(), usages().map(|it| it.completion_tokens).sum()]
    }

    pub(super) fn to_json(&self) -> String {
        let change = |it: &Change| json!({ "aspect": it.aspect.as_str(), "what": it.what });
        let exchange = |it: &Compared| {
            json!({
                "component": it.component,
                "exchange": it.name,
                "answer": it.answer,
                "changes": it.changes.iter().map(change).collect::<Value>(),
                "left_out": it.is_left_out,
                "failure": it.failure,
            })
        };
        let [prompt, completion] = self.tokens();
        json!({
            "exchanges": self.compared.iter().map(exchange).collect::<Value>(),
            "changed": self.changed(),
            "failed": self.failed(),
            "left_out": self.left_out(),
            "prompt_tokens": prompt,
            "completion_tokens": completion,
        })
        .to_string()
    }

    /// Summarizes the changes: `3 changed (tools 1, text 2)`.
    fn summary(&self) -> String {
        let counts = Aspect::ALL.map(|aspect| (aspect, self.changed_in(aspect)));
        let counts = counts.into_iter().filter(|(_, number)| *number > 0);
        let counts: Vec<_> =
            counts.map(|(it, number)| format!("{} {number}", it.as_str())).collect();
        let counts = match counts.as_slice() {
            [] => String::new(),
            counts => format!(" ({})", counts.join(", ")),
        };
        let left_out = match self.left_out() {
            0 => String::new(),
            number => format!(", {number} left out"),
        };
        format!("{} changed{counts}, {} failed{left_out}", self.changed(), self.failed())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Compared { component, name, answer, changes, is_left_out, failure, .. } in
            &self.compared
        {
            if changes.is_empty() && failure.is_none() && !is_left_out {
                continue;
            }
            let answer = answer.map_or_else(String::new, |number| format!(", answer {number}"));
            writeln!(f, "{}: {}{answer}", escape_controls(component), escape_controls(name))?;
            for Change { aspect, what } in changes {
                writeln!(f, "  {:<7} {}", aspect.as_str(), escape_controls(what))?;
            }
            if *is_left_out {
                writeln!(f, "  left out: its other conditions do not hold for the request alone")?;
            }
            if let Some(failure) = failure {
                writeln!(f, "  failed  {}", escape_controls(failure))?;
            }
        }
        let [prompt, completion] = self.tokens();
        let asked = count(self.len() - self.left_out(), "request");
        write!(f, "{asked}: {}; {prompt} + {completion} tokens", self.summary())
    }
}
