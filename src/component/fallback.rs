//! Which component answers in the place of another, once all are loaded.

use std::{path::PathBuf, sync::Arc};

use super::{
    ComponentSpec, Loaded,
    spec::{Fallback, ProviderSpec},
};
use crate::base::diagnostics::{Diagnostic, Place};

/// Where a component that was loaded names another one.
pub(super) struct Reference {
    pub(super) from: String,
    pub(super) file: PathBuf,
    pub(super) place: Place,
    /// Whether the component is rather absent than a problem.
    pub(super) ignore_errors: bool,
}

/// Puts the components that are named in the place of their names. A name that nobody has, and a
/// circle, are problems.
pub(super) fn resolve(loaded: &mut Loaded, mut references: Vec<Reference>) {
    // Without a component that may be absent, another one may miss its fallback.
    while let Some((at, message)) = first_forgiven(&loaded.components, &references) {
        let Reference { from, file, place, .. } = references.remove(at);
        loaded.components.retain(|spec| spec.name != from);
        let message = format!("component {from} is absent (spec.ignoreErrors): {message}");
        loaded.notices.push(Diagnostic::warning(message).at(place).in_file(file));
    }
    for reference in references {
        if let Some(message) = fault(&loaded.components, &reference) {
            let Reference { file, place, .. } = reference;
            loaded.errors.push(Diagnostic::error(message).at(place).in_file(file));
        }
    }
    embed(&mut loaded.components);
}

fn first_forgiven(
    components: &[ComponentSpec],
    references: &[Reference],
) -> Option<(usize, String)> {
    references.iter().enumerate().find_map(|(at, reference)| {
        let fault = fault(components, reference).filter(|_| reference.ignore_errors)?;
        Some((at, fault))
    })
}

/// What is wrong with a reference.
fn fault(components: &[ComponentSpec], reference: &Reference) -> Option<String> {
    let first = find(components, &reference.from)?;
    let (mut path, mut spec) = (vec![first.name.as_str()], first);
    while let Some(name) = named(spec) {
        path.push(name);
        if name == reference.from {
            let path = path.join(" -> ");
            return Some(format!("fallback: {path} is a circle; let one end in echo or error"));
        }
        match find(components, name) {
            Some(next) => spec = next,
            None if path.len() == 2 => return Some(unknown(components, name)),
            // Whoever names it is told.
            None => return None,
        }
        // A circle further on: those in it are told.
        if path.len() > components.len() {
            return None;
        }
    }
    None
}

fn unknown(components: &[ComponentSpec], name: &str) -> String {
    let names: Vec<_> = components.iter().map(|spec| spec.name.as_str()).collect();
    let names = names.join(", ");
    format!("fallback: no component {name:?} is loaded; use echo, error or one of {names}")
}

fn find<'a>(components: &'a [ComponentSpec], name: &str) -> Option<&'a ComponentSpec> {
    components.iter().find(|spec| spec.name == name)
}

fn named(spec: &ComponentSpec) -> Option<&str> {
    match &spec.provider {
        ProviderSpec::Scripted(_, Fallback::Named(name)) => Some(name),
        _ => None,
    }
}

/// Embeds a component in another as soon as it names nobody itself.
fn embed(components: &mut [ComponentSpec]) {
    let ready = |components: &[ComponentSpec]| {
        components.iter().enumerate().find_map(|(at, spec)| {
            let fallback = find(components, named(spec)?)?;
            named(fallback).is_none().then(|| (at, Arc::new(fallback.clone())))
        })
    };
    while let Some((at, spec)) = ready(components) {
        if let ProviderSpec::Scripted(_, fallback) = &mut components[at].provider {
            *fallback = Fallback::Component(spec);
        }
    }
}
