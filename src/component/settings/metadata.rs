//! Reads the metadata of a component by key, and expands its templates.

use std::{collections::BTreeSet, fmt::Display, path::Path, sync::Arc};

use twox_hash::XxHash3_64;

use super::{access::Access, environment};
use crate::{
    base::{diagnostics::Place, secrets::is_secret_name},
    component::{
        context::Context,
        manifest::{Item, Located, Manifest, SecretKeyRef, Source},
        report::Report,
    },
    provider::scripted::Rules,
};

/// The metadata of a component, with the context and the secrets that its values may refer to.
#[derive(Clone, Copy)]
pub(crate) struct Metadata<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) context: &'a Context,
    pub(crate) secrets: &'a dyn SecretSource,
    /// The component's file; empty if there is none.
    pub(crate) file: &'a Path,
    /// The folder where paths of rules start.
    pub(crate) folder: &'a Path,
    /// The files and programs that it may use.
    pub(crate) access: Access<'a>,
    /// The rules of components without rules of their own.
    pub(crate) shared_rules: Option<&'a Arc<Rules>>,
}

/// Resolves references to secrets.
pub(crate) trait SecretSource {
    /// Returns the value of a key in a secret. The value is never empty.
    fn secret(&self, store: Option<&Located>, name: &str, key: &str)
    -> Result<String, SecretError>;
}

/// The reason why a secret has no value.
pub(crate) enum SecretError {
    /// The store does not have the secret. daprd logs this error and continues.
    Missing(String),
    /// The store does not exist, or mynah does not support its type.
    NoStore(String),
}

impl Metadata<'_> {
    /// Reports repeated keys, and keys that are not in `known`. `kind` is the type of the
    /// component.
    pub(crate) fn check_keys(&self, kind: &str, known: &[&str], report: &mut Report) {
        let mut seen = BTreeSet::new();
        for item in &self.manifest.items {
            let name = &item.name;
            if !seen.insert(name.to_ascii_lowercase()) {
                let message = format!("key {name} is duplicate in the metadata");
                report.error(item.place, message);
            } else if !known.iter().any(|key| key.eq_ignore_ascii_case(name)) {
                let known = known.join(", ");
                let message =
                    format!("unknown metadata key {name:?} for {kind}; expected one of: {known}");
                report.warning(item.place, message);
            }
        }
    }

    /// Keeps the values of keys that look like those of secrets out of the journal, even if the
    /// component does not use them. References that cannot be resolved are ignored here. All values
    /// from secret stores are hidden when they are resolved.
    pub(crate) fn hide_secrets(&self) {
        let environment = &self.context.environment;
        let is_secret = |name: &str| is_secret_name(name) || name.eq_ignore_ascii_case("key");
        for item in self.manifest.items.iter().filter(|item| is_secret(&item.name)) {
            match &item.source {
                Source::Value(Located { text, .. }) => environment.hide(text),
                Source::Variable(Located { text: name, .. }) => {
                    if let Ok(text) = environment::variable(environment, name) {
                        environment.hide(text);
                    }
                }
                Source::Secret { secret, .. } => {
                    let store = self.manifest.secret_store.as_ref();
                    // The store hides it.
                    let _ = self.secrets.secret(store, &secret.name.text, &secret.key);
                }
            }
        }
    }

    /// Returns the value of a key, or `None` if the value is absent, empty or invalid.
    pub(crate) fn text(&self, key: &str, report: &mut Report) -> Option<String> {
        self.value(key, report).map(|value| value.text)
    }

    /// Returns the value of a key that the component needs. Without one, reports the cause as an error: that of
    /// a reference without a value, or else `missing`.
    pub(crate) fn required(
        &self,
        key: &str,
        (place, missing): (Place, &str),
        report: &mut Report,
    ) -> Option<String> {
        let before = report.diagnostics.len();
        let value = self.text(key, report);
        if value.is_none() && !report.raise_after(before) {
            match self.item(key).map(|item| &item.source) {
                Some(Source::Variable(Located { place, text: name })) => {
                    let message = format!("{key}: the environment variable {name:?} is empty");
                    report.error(*place, message);
                }
                _ => report.error(place, format!("{key}: {missing}")),
            }
        }
        value
    }

    /// Parses the value of a key. Errors from `parse` must begin with the text in quotes.
    pub(crate) fn parse<T, E: Display>(
        &self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
        report: &mut Report,
    ) -> Option<T> {
        let value = self.value(key, report)?;
        parse(&value.text)
            .map_err(|error| {
                let error = value.redact(error.to_string());
                report.error(value.place, format!("{key}: {error}"));
            })
            .ok()
    }

    /// Returns the value of a key if it is written in the metadata itself. Does not report errors.
    pub(crate) fn literal(&self, key: &str) -> Option<String> {
        let Source::Value(Located { text, .. }) = &self.item(key)?.source else { return None };
        self.expand(text, key).ok().filter(|text| !text.is_empty())
    }

    fn item(&self, key: &str) -> Option<&Item> {
        self.manifest.items.iter().find(|item| item.name.eq_ignore_ascii_case(key))
    }

    /// Returns the value of a key, and what diagnostics show of it. `None` if it is absent, empty or
    /// invalid.
    pub(crate) fn value(&self, key: &str, report: &mut Report) -> Option<ResolvedValue> {
        let mut value = match &self.item(key)?.source {
            Source::Value(literal) => ResolvedValue::literal(literal),
            Source::Variable(name) => self.variable(key, name, report),
            Source::Secret { secret, default } => self.secret(key, secret, default, report)?,
        };
        value.text = self
            .expand(&value.text, key)
            .map_err(|error| report.error(value.place, format!("{key}: {error}")))
            .ok()?;
        Some(value).filter(|value| !value.text.is_empty())
    }

    fn expand(&self, text: &str, key: &str) -> Result<String, &'static str> {
        let component = self.manifest.name.as_ref().map_or("", |name| &name.text);
        expand(text, self.context, component, key)
    }

    /// Returns the value of an environment variable. If it cannot be read, reports a warning and
    /// returns an empty value.
    fn variable(&self, key: &str, name: &Located, report: &mut Report) -> ResolvedValue {
        let Located { place, text: name } = name;
        let variable = environment::variable(&self.context.environment, name);
        let text = variable.unwrap_or_else(|error| {
            report.warning(*place, format!("{key}: {error}"));
            ""
        });
        ResolvedValue::hidden(*place, text, format!("the value of {name}"))
    }

    /// Returns a secret. If the secret is missing or empty, reports a warning and returns the
    /// default.
    fn secret(
        &self,
        key: &str,
        secret: &SecretKeyRef,
        default: &Located,
        report: &mut Report,
    ) -> Option<ResolvedValue> {
        let place = secret.name.place;
        let store = self.manifest.secret_store.as_ref();
        match self.secrets.secret(store, &secret.name.text, &secret.key) {
            Ok(text) => Some(ResolvedValue::hidden(place, text, "the secret")),
            Err(SecretError::Missing(error)) => {
                report.warning(place, format!("{key}: {error}"));
                Some(ResolvedValue::literal(default))
            }
            Err(SecretError::NoStore(error)) => {
                report.error(place, format!("{key}: {error}"));
                None
            }
        }
    }
}

/// The value of an item after its reference has been resolved.
pub(crate) struct ResolvedValue {
    pub(crate) place: Place,
    pub(crate) text: String,
    /// The text that diagnostics show instead of the value. `None` if the value may be shown.
    redacted_as: Option<String>,
}

impl ResolvedValue {
    /// Creates a value that is written in the metadata itself.
    pub(super) fn literal(value: &Located) -> Self {
        let Located { place, text } = value.clone();
        Self { place, text, redacted_as: None }
    }

    /// Creates a value that may be secret.
    fn hidden(place: Place, text: impl Into<String>, redacted_as: impl Into<String>) -> Self {
        Self { place, text: text.into(), redacted_as: Some(redacted_as.into()) }
    }

    /// Returns the value in quotes, or what diagnostics show instead.
    pub(crate) fn shown(&self) -> String {
        self.redacted_as.clone().unwrap_or_else(|| format!("{:?}", self.text))
    }

    /// Removes a secret value from an error that begins with the quoted value.
    fn redact(&self, error: String) -> String {
        let Some(redacted_as) = &self.redacted_as else { return error };
        let rest = error.strip_prefix(&format!("{:?} ", self.text));
        format!("{redacted_as} {}", rest.unwrap_or("cannot be used"))
    }
}

/// Expands all templates in `text`, which is the value of the metadata item `item`.
fn expand(
    text: &str,
    context: &Context,
    component: &str,
    item: &str,
) -> Result<String, &'static str> {
    let mut text = expand_uuids(text, component, item);
    if text.contains("{podName}") {
        let pod = context.pod_name().ok_or("{podName} requires POD_NAME to be set")?;
        text = text.replace("{podName}", pod);
    }
    let (app_id, namespace) = (&context.app_id, context.namespace());
    Ok(text.replace("{namespace}", &format!("{namespace}.{app_id}")).replace("{appID}", app_id))
}

fn expand_uuids(text: &str, component: &str, item: &str) -> String {
    let mut parts = text.split("{uuid}");
    let mut expanded = parts.next().unwrap_or_default().to_owned();
    for (index, part) in parts.enumerate() {
        expanded += &uuid(&format!("{component}/{item}/{index}"));
        expanded += part;
    }
    expanded
}

/// Returns a UUID that depends only on the seed. In version 8, the application chooses the bits.
fn uuid(seed: &str) -> String {
    let high = XxHash3_64::oneshot_with_seed(0, seed.as_bytes());
    let low = XxHash3_64::oneshot_with_seed(1, seed.as_bytes());
    let version = 0x8000 | (high & 0xfff);
    let variant = 0x8000 | (low >> 48 & 0x3fff);
    let (first, second) = (high >> 32, high >> 16 & 0xffff);
    format!("{first:08x}-{second:04x}-{version:04x}-{variant:04x}-{:012x}", low & 0xffff_ffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(variables: &[(&str, &str)]) -> Context {
        let environment = variables.iter().copied().collect();
        Context { app_id: "shop".into(), environment, ..Context::default() }
    }

    fn expanded(text: &str) -> Result<String, &'static str> {
        expand(text, &context(&[("NAMESPACE", "prod"), ("POD_NAME", "")]), "echo", "model")
    }

    #[test]
    fn expands_app_id_and_namespace() {
        assert_eq!(
            expanded("{appID} {namespace} {other}").as_deref(),
            Ok("shop prod.shop {other}")
        );
        let unset = expand("{namespace}", &context(&[]), "echo", "model");
        assert_eq!(unset.as_deref(), Ok("default.shop"), "as daprd");
    }

    #[test]
    fn rejects_pod_name_if_not_set() {
        assert_eq!(expanded("{podName}"), Err("{podName} requires POD_NAME to be set"));
        let context = context(&[("POD_NAME", "pod-0")]);
        assert_eq!(expand("at {podName}", &context, "echo", "model").as_deref(), Ok("at pod-0"));
    }

    #[test]
    fn expands_each_uuid_to_a_constant() {
        insta::assert_snapshot!(expanded("{uuid} {uuid}").unwrap(), @"57fc4167-8933-8995-aaaf-10f738bfae59 56ca04f4-8e35-8058-8100-62cbdffce05e");
    }
}
