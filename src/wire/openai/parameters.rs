//! The parameters that OpenAI's API has and Dapr's has not.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::value::RawValue;

use super::body::Body;
use crate::chat::{CHOICES, LazyJson, Parameter};

/// Returns the parameters in the body of a request for a chat completion.
pub(super) fn parameters(body: &Body<'_>, bytes: &Bytes) -> BTreeMap<String, Parameter> {
    let keys = [
        ("seed", body.seed),
        ("stop", body.stop),
        ("top_p", body.top_p),
        ("presence_penalty", body.presence_penalty),
        ("frequency_penalty", body.frequency_penalty),
        ("logit_bias", body.logit_bias),
    ];
    let mut parameters = keep(keys, bytes);
    if let Some(choices) = body.n.filter(|choices| *choices > 1) {
        parameters.insert(CHOICES.to_owned(), Parameter::json(LazyJson::new(choices)));
    }
    parameters
}

/// Keeps the texts of the parameters that are set, which are parts of the body.
pub(super) fn keep<const N: usize>(
    keys: [(&str, Option<&RawValue>); N],
    bytes: &Bytes,
) -> BTreeMap<String, Parameter> {
    let set = keys.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let parameter = |value: &RawValue| {
        let text = bytes.slice_ref(value.get().as_bytes());
        let decode = |text: &[u8]| serde_json::from_slice(text).unwrap_or_default();
        Parameter::json(LazyJson::encoded(text, decode))
    };
    set.map(|(name, value)| (name.to_owned(), parameter(value))).collect()
}
