//! Resolves fallbacks when all components are known.

use std::{path::PathBuf, sync::Arc};

use super::spec::ComponentSpec;
use crate::base::diagnostics::{Diagnostic, Place};

/// A component whose fallback is not resolved yet.
pub(super) struct Candidate {
    pub(super) spec: ComponentSpec,
    /// The reference to the fallback, until it is resolved.
    pub(super) fallback: Option<Reference>,
}

/// The setting that names the component to fall back to.
pub(super) struct Reference {
    pub(super) component: String,
    pub(super) file: PathBuf,
    pub(super) place: Place,
    /// Whether an error removes the component instead of failing the load.
    pub(super) ignore_errors: bool,
}

/// Embeds each fallback in the components that refer to it. A fallback that is missing or part of a
/// cycle is an error.
pub(super) fn resolve(mut candidates: Vec<Candidate>) -> (Vec<ComponentSpec>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    // Repeat, because a removed component may be the fallback of another.
    while let Some((index, message)) = find_ignorable(&candidates) {
        let Candidate { spec, fallback } = candidates.remove(index);
        let name = spec.name;
        let message = format!("component {name} is skipped (spec.ignoreErrors): {message}");
        diagnostics.extend(fallback.map(|it| it.locate(Diagnostic::warning(message))));
    }
    diagnostics.extend(candidates.iter().filter_map(|candidate| {
        let message = check(&candidates, candidate)?;
        Some(candidate.fallback.as_ref()?.locate(Diagnostic::error(message)))
    }));
    embed(&mut candidates);
    (candidates.into_iter().map(|candidate| candidate.spec).collect(), diagnostics)
}

impl Reference {
    fn locate(&self, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.at(self.place).in_file(&self.file)
    }
}

/// Returns the first component whose fallback has an error that is to be ignored, and the error.
fn find_ignorable(candidates: &[Candidate]) -> Option<(usize, String)> {
    candidates.iter().enumerate().find_map(|(index, candidate)| {
        let ignores_errors = candidate.fallback.as_ref()?.ignore_errors;
        let message = check(candidates, candidate).filter(|_| ignores_errors)?;
        Some((index, message))
    })
}

/// Returns the error in a component's fallback, if any.
fn check(candidates: &[Candidate], candidate: &Candidate) -> Option<String> {
    let start = candidate.spec.name.as_str();
    let (mut path, mut last) = (vec![start], candidate);
    while let Some(name) = last.fallback_name() {
        path.push(name);
        if name == start {
            let path = path.join(" -> ");
            return Some(format!("fallback: {path} is a cycle; end it with echo or error"));
        }
        match find(candidates, name) {
            Some(next) => last = next,
            None if path.len() == 2 => return Some(unknown(candidates, name)),
            // Reported for the component that refers to the missing one.
            None => return None,
        }
        // The path leads into a cycle, which is reported for the components that are part of it.
        if path.len() > candidates.len() {
            return None;
        }
    }
    None
}

fn unknown(candidates: &[Candidate], name: &str) -> String {
    let names: Vec<_> = candidates.iter().map(|candidate| candidate.spec.name.as_str()).collect();
    let names = names.join(", ");
    format!("fallback: unknown component {name:?}; expected echo, error or one of: {names}")
}

fn find<'a>(candidates: &'a [Candidate], name: &str) -> Option<&'a Candidate> {
    candidates.iter().find(|candidate| candidate.spec.name == name)
}

impl Candidate {
    fn fallback_name(&self) -> Option<&str> {
        self.fallback.as_ref().map(|fallback| fallback.component.as_str())
    }
}

/// Embeds fallbacks, innermost first, until no more can be resolved.
fn embed(candidates: &mut [Candidate]) {
    while let Some((index, fallback)) = find_resolvable(candidates) {
        candidates[index].spec.fallback = Some(fallback);
        candidates[index].fallback = None;
    }
}

/// Returns a component whose fallback needs no further resolution, and the fallback.
fn find_resolvable(candidates: &[Candidate]) -> Option<(usize, Arc<ComponentSpec>)> {
    candidates.iter().enumerate().find_map(|(index, candidate)| {
        let fallback = find(candidates, candidate.fallback_name()?)?;
        fallback.fallback.is_none().then(|| (index, Arc::new(fallback.spec.clone())))
    })
}
