//! Resolves fallbacks when all components are known, in O(n log n) time for any length of a chain of
//! fallbacks.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    iter,
    path::PathBuf,
    sync::Arc,
};

use super::{report::listed, settings::ResolvedValue, spec::ComponentSpec};
use crate::base::diagnostics::Diagnostic;

/// A component whose fallback is not resolved yet.
pub(super) struct Candidate {
    pub(super) spec: ComponentSpec,
    pub(super) fallback: Option<Reference>,
}

/// The setting that names the component to fall back to.
pub(super) struct Reference {
    pub(super) component: ResolvedValue,
    pub(super) file: PathBuf,
    /// Whether an error removes the component instead of failing the load.
    pub(super) ignore_errors: bool,
}

/// A component that has other errors.
pub(super) struct Broken {
    pub(super) name: String,
    pub(super) fallback: Option<Reference>,
}

/// Sets the fallbacks of the components. A fallback that is missing or part of a cycle is an error.
pub(super) fn resolve(
    candidates: &[Candidate],
    broken: &[Broken],
) -> (Vec<ComponentSpec>, Vec<Diagnostic>) {
    let mut graph = Graph::new(candidates, broken);
    let mut diagnostics = graph.remove_ignorable();
    let errors: Vec<_> = graph.errors().chain(graph.errors_of(broken)).collect();
    let components = if errors.is_empty() { graph.resolved() } else { graph.unresolved() };
    diagnostics.extend(errors);
    (components, diagnostics)
}

impl Reference {
    fn locate(&self, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.at(self.component.place).in_file(&self.file)
    }
}

/// Which component falls back to which. Components are indexes of candidates.
struct Graph<'a> {
    candidates: &'a [Candidate],
    /// The names of the components that have other errors.
    broken: BTreeSet<&'a str>,
    /// The components that are not removed.
    remaining: BTreeSet<usize>,
    /// The fallback of each component, unless it is missing or removed.
    next: Vec<Option<usize>>,
    /// The components that fall back to each component.
    users: Vec<Vec<usize>>,
    /// The length of the cycle that each component is part of; 0 if it is part of none.
    cycle: Vec<usize>,
}

impl<'a> Graph<'a> {
    fn new(candidates: &'a [Candidate], broken: &'a [Broken]) -> Self {
        // If several components have the same name, the first one counts.
        let names = candidates.iter().map(|candidate| candidate.spec.name.as_str());
        let indexes: BTreeMap<_, _> = names.zip(0..candidates.len()).rev().collect();
        let next = |candidate: &Candidate| {
            indexes.get(candidate.fallback.as_ref()?.component.text.as_str()).copied()
        };
        let next: Vec<Option<usize>> = candidates.iter().map(next).collect();
        let mut users = vec![Vec::new(); candidates.len()];
        for (user, fallback) in next.iter().enumerate() {
            if let Some(fallback) = fallback {
                users[*fallback].push(user);
            }
        }
        let cycle = cycles(&next);
        let remaining = (0..candidates.len()).collect();
        let broken = broken.iter().map(|component| &*component.name).collect();
        Self { candidates, broken, remaining, next, users, cycle }
    }

    /// Removes the components whose errors are ignored. A removed component may be the fallback of
    /// another one, which then has an error.
    fn remove_ignorable(&mut self) -> Vec<Diagnostic> {
        let mut removed = Vec::new();
        let mut queue: BTreeSet<_> = (0..self.candidates.len()).collect();
        while let Some(index) = queue.pop_first() {
            let Candidate { spec, fallback } = &self.candidates[index];
            let fallback = fallback.as_ref().filter(|fallback| fallback.ignore_errors);
            if let Some(fallback) = fallback
                && self.remaining.contains(&index)
                && let Some(message) = self.error(index)
            {
                let name = &spec.name;
                let message = format!("component {name} is skipped (spec.ignoreErrors): {message}");
                removed.push(fallback.locate(Diagnostic::warning(message)));
                self.remove(index);
                queue.extend(&self.users[index]);
            }
        }
        removed
    }

    fn remove(&mut self, index: usize) {
        self.remaining.remove(&index);
        if self.cycle[index] > 0 {
            let members: Vec<_> = self.path(index).take(self.cycle[index]).collect();
            members.into_iter().for_each(|member| self.cycle[member] = 0);
        }
        self.users[index].iter().for_each(|user| self.next[*user] = None);
    }

    fn errors(&self) -> impl Iterator<Item = Diagnostic> {
        self.remaining.iter().filter_map(|&index| {
            let fallback = self.candidates[index].fallback.as_ref()?;
            Some(fallback.locate(Diagnostic::error(self.error(index)?)))
        })
    }

    /// Returns the errors in the fallbacks of components that have other errors.
    fn errors_of(&self, broken: &'a [Broken]) -> impl Iterator<Item = Diagnostic> {
        let fallbacks = broken.iter().filter_map(|component| component.fallback.as_ref());
        let names: BTreeSet<_> = self.remaining.iter().map(|index| self.name(*index)).collect();
        let is_unknown = move |fallback: &&Reference| {
            let name = fallback.component.text.as_str();
            !names.contains(name) && !self.broken.contains(name)
        };
        let unknown = fallbacks.filter(is_unknown);
        unknown.map(|it| it.locate(Diagnostic::error(self.unknown(&it.component))))
    }

    /// Returns what is wrong with the fallback of a component.
    fn error(&self, index: usize) -> Option<String> {
        let fallback = self.candidates[index].fallback.as_ref()?;
        if self.broken.contains(fallback.component.text.as_str()) {
            return None;
        }
        if self.next[index].is_none() {
            return Some(self.unknown(&fallback.component));
        }
        (self.cycle[index] > 0).then(|| {
            let names = self.path(index).take(self.cycle[index]).map(|index| self.name(index));
            let path = listed(names, self.cycle[index], " -> ");
            let start = self.name(index);
            format!("fallback: {path} -> {start} is a cycle; end it with echo or error")
        })
    }

    fn unknown(&self, component: &ResolvedValue) -> String {
        let names = self.remaining.iter().map(|index| self.name(*index));
        let names = listed(names, self.remaining.len(), ", ");
        let component = component.shown();
        format!("fallback: {component} is not a component; expected echo, error or one of: {names}")
    }

    fn name(&self, index: usize) -> &'a str {
        &self.candidates[index].spec.name
    }

    /// A component, its fallback, the fallback of its fallback, and so on.
    fn path(&self, start: usize) -> impl Iterator<Item = usize> {
        iter::successors(Some(start), |index| self.next[*index])
    }

    fn unresolved(&self) -> Vec<ComponentSpec> {
        self.remaining.iter().map(|index| self.candidates[*index].spec.clone()).collect()
    }

    /// Returns the components with their fallbacks, of which there is no missing or cyclic one.
    ///
    /// Of a chain of fallbacks, a component gets only the next one that may answer, since each of
    /// them is a call within a call.
    fn resolved(&self) -> Vec<ComponentSpec> {
        let mut answering = vec![None; self.candidates.len()];
        let is_last = |index: &&usize| self.next[**index].is_none();
        let mut queue: VecDeque<_> = self.remaining.iter().filter(is_last).copied().collect();
        while let Some(index) = queue.pop_front() {
            let fallback = self.next[index].and_then(|next| answering[next].clone());
            answering[index] = Some(Answering::new(&self.candidates[index].spec, fallback));
            queue.extend(self.users[index].iter().filter(|user| self.remaining.contains(user)));
        }
        let specs = answering.into_iter().flatten();
        specs.map(|answering| ComponentSpec::clone(&answering.component)).collect()
    }
}

/// A component with its fallback, and the components that answer the requests which reach it.
#[derive(Clone)]
struct Answering {
    component: Arc<ComponentSpec>,
    /// Answers requests with an instruction chain.
    with_chain: Arc<ComponentSpec>,
    /// Answers requests without an instruction chain.
    without_chain: Arc<ComponentSpec>,
}

impl Answering {
    fn new(spec: &ComponentSpec, fallback: Option<Self>) -> Self {
        let passes_on_chains = spec.provider.passes_on_chains();
        let next = fallback.as_ref().map(|fallback| {
            if passes_on_chains { &fallback.with_chain } else { &fallback.without_chain }
        });
        let component = Arc::new(ComponentSpec { fallback: next.cloned(), ..spec.clone() });
        // A component that owns tools or has rules may answer all requests that reach it.
        let may_answer_all = spec.tools.is_some() || spec.provider.may_answer_all();
        let passed_on = fallback.filter(|_| !may_answer_all);
        let Some(Self { with_chain, without_chain, .. }) = passed_on else {
            return Self {
                with_chain: component.clone(),
                without_chain: component.clone(),
                component,
            };
        };
        let with_chain = if passes_on_chains { with_chain } else { component.clone() };
        Self { component, with_chain, without_chain }
    }
}

/// Returns the length of the cycle that each index is part of, or 0.
fn cycles(next: &[Option<usize>]) -> Vec<usize> {
    let mut cycle = vec![0; next.len()];
    // The start from which each index was reached.
    let mut reached_from = vec![None; next.len()];
    for start in 0..next.len() {
        let mut current = Some(start);
        while let Some(index) = current.filter(|index| reached_from[*index].is_none()) {
            reached_from[index] = Some(start);
            current = next[index];
        }
        if let Some(index) = current.filter(|index| reached_from[*index] == Some(start)) {
            let around = iter::successors(next[index], |index| next[*index]);
            let members: Vec<_> =
                around.take_while(|member| *member != index).chain([index]).collect();
            members.iter().for_each(|member| cycle[*member] = members.len());
        }
    }
    cycle
}
