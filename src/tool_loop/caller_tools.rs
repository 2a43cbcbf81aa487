//! The tools of the request that starts a run, which its caller runs.

use std::collections::BTreeSet;

use crate::chat::Request;

/// The tools that the caller of a run has, in addition to those of the loop.
#[derive(Debug)]
pub(super) struct CallerTools {
    names: BTreeSet<String>,
    /// Whether the caller does not know the tools of the loop, because a component owns them. Then,
    /// its own tools take precedence, and it gets all calls to unknown tools.
    is_unaware: bool,
}

impl CallerTools {
    /// Returns the tools that the request offers but the loop does not have.
    pub(super) fn besides(request: &Request, is_registered: impl Fn(&str) -> bool) -> Self {
        let names = offered(request).filter(|name| !is_registered(name));
        Self { names: names.map(str::to_owned).collect(), is_unaware: false }
    }

    /// Returns the tools of a caller that does not know those of the loop.
    pub(super) fn of_unaware(request: &Request) -> Self {
        let withheld = request.withheld_tools.iter().map(String::as_str);
        let names = offered(request).chain(withheld).map(str::to_owned);
        Self { names: names.collect(), is_unaware: true }
    }

    /// Returns `true` if the caller has a tool with this name that takes precedence.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Returns `true` if the caller runs calls to this tool.
    pub(super) fn runs(&self, name: &str, is_registered: bool) -> bool {
        self.contains(name) || self.is_unaware && !is_registered
    }
}

fn offered(request: &Request) -> impl Iterator<Item = &str> {
    request.tools.iter().map(|tool| tool.name.as_str())
}
