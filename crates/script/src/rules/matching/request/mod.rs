//! The condition that a request is the recorded one.

// form         the canonical form of a request
//   tool_hash  hashes of offered tools
//   canonical  values in one form
// text_file    the files of long texts
// differences  what differs between two forms
// normalize    makes values equal that change from run to run

mod canonical;
mod differences;
mod form;
mod normalize;
#[cfg(test)]
mod tests;
mod text_file;
mod tool_hash;

use std::sync::Arc;

use mynah_core::base::redactor::Redactor;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

pub use self::{
    differences::Difference,
    form::{RequestForm, is_deep},
    normalize::{Normalization, NormalizationSource, Normalizer},
    text_file::{REQUESTS, TextFile},
    tool_hash::tool_hash,
};

/// The condition that a request equals a recorded one, apart from what normalization makes equal.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(with = "RequestForm")]
pub struct RequestCondition {
    /// The request as it is written.
    written: Box<RequestForm>,
    normalized: NormalizedForm,
    normalizer: Arc<Normalizer>,
}

/// A form whose texts are normalized.
#[derive(Debug, Clone)]
pub(crate) struct NormalizedForm {
    form: RequestForm,
    hash: u64,
}

impl RequestCondition {
    /// Creates a condition without normalization of its own.
    fn new(written: RequestForm, normalizer: Arc<Normalizer>) -> Self {
        let normalized = NormalizedForm::of_recorded(written.clone(), &normalizer);
        Self { written: written.into(), normalized, normalizer }
    }

    /// Uses the normalization of a file.
    pub(super) fn set_normalizer(&mut self, normalizer: &Arc<Normalizer>) {
        if self.normalizer != *normalizer {
            let written = self.written.as_ref().clone();
            self.normalized = NormalizedForm::of_recorded(written, normalizer);
        }
        self.normalizer = normalizer.clone();
    }

    /// Returns the normalization of the file.
    pub(in super::super::super) fn normalizer(&self) -> &Arc<Normalizer> {
        &self.normalizer
    }

    /// Returns the name of the component.
    pub(in super::super::super) fn component(&self) -> &str {
        &self.written.component
    }

    /// Returns `true` if the request offers a tool.
    pub(in super::super::super) fn offers(&self, tool: &str) -> bool {
        self.written.tools.contains_key(tool)
    }

    /// Returns the hash of the normalized form.
    pub(in super::super::super) fn hash(&self) -> u64 {
        self.normalized.hash
    }

    /// Returns `true` if a normalized form is the expected one.
    pub(super) fn equals(&self, other: &NormalizedForm) -> bool {
        self.normalized.hash == other.hash && self.normalized.form == other.form
    }

    /// Returns what a request has instead.
    pub(in super::super) fn differences(&self, other: &NormalizedForm) -> Vec<Difference> {
        differences::between(&self.normalized.form, &other.form)
    }

    /// Returns the normalization with which the texts of a request would be equal, if one more kind is enough.
    pub(in super::super) fn missing_normalization(
        &self,
        form: &RequestForm,
        redactor: &Redactor,
    ) -> Option<Normalizer> {
        let mut normalizers =
            Normalization::ALL.into_iter().map(|added| self.normalizer.with(added));
        normalizers.find(|normalizer| {
            let own = NormalizedForm::of_recorded(self.written.as_ref().clone(), normalizer);
            own.form == NormalizedForm::new(form.clone(), normalizer, Some(redactor)).form
        })
    }
}

impl NormalizedForm {
    /// Returns the form of what is recorded, which has no secrets that are known.
    pub(crate) fn of_recorded(form: RequestForm, normalizer: &Normalizer) -> Self {
        Self::new(form, normalizer, Some(Redactor::of_patterns()))
    }

    /// Returns the form of what is asked.
    pub(super) fn new(
        mut form: RequestForm,
        normalizer: &Normalizer,
        redactor: Option<&Redactor>,
    ) -> Self {
        form.change_texts(&mut |text| {
            if let Some(redactor) = redactor {
                redactor.redact_text(text);
            }
            normalizer.apply_to(text);
        });
        Self { hash: form.hash(), form }
    }

    /// Returns the hash of the form.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }
}

impl<'de> Deserialize<'de> for RequestCondition {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let written = RequestForm::deserialize(source)?;
        Ok(Self::new(written.canonical(), Normalizer::usual().clone()))
    }
}
