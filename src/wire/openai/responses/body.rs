//! The body of a request, as far as mynah reads it. Other keys are accepted without effect.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value, value::RawValue};

use crate::wire::openai::body::{Listed, Role, TextOr};

/// The body of a request for a response.
#[derive(Debug, Deserialize)]
pub(super) struct Body<'a> {
    #[serde(borrow)]
    pub(super) model: Option<Cow<'a, str>>,
    pub(super) instructions: Option<String>,
    #[serde(borrow)]
    pub(super) input: Option<TextOr<Item<'a>>>,
    pub(super) previous_response_id: Option<String>,
    pub(super) store: Option<bool>,
    #[serde(borrow)]
    pub(super) tools: Option<Vec<Tool<'a>>>,
    pub(super) tool_choice: Option<Value>,
    pub(super) parallel_tool_calls: Option<bool>,
    #[serde(borrow)]
    pub(super) text: Option<Text<'a>>,
    pub(super) stream: Option<bool>,
    pub(super) temperature: Option<f64>,
    #[serde(borrow)]
    pub(super) top_p: Option<&'a RawValue>,
    pub(super) max_output_tokens: Option<i64>,
    pub(super) metadata: Option<BTreeMap<String, String>>,
    pub(super) background: Option<bool>,
    pub(super) conversation: Option<IgnoredAny>,
    pub(super) prompt: Option<IgnoredAny>,
}

/// An item of the history. Its keys depend on its type.
#[derive(Debug, Deserialize)]
pub(super) struct Item<'a> {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) id: Option<String>,
    pub(super) role: Option<Role>,
    #[serde(borrow)]
    pub(super) content: Option<TextOr<Part<'a>>>,
    pub(super) call_id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) arguments: Option<String>,
    #[serde(borrow)]
    pub(super) output: Option<TextOr<Part<'a>>>,
}

/// A part of a message or of the output of a function.
#[derive(Debug, Deserialize)]
pub(super) struct Part<'a> {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) text: Option<String>,
    pub(super) refusal: Option<String>,
    #[serde(borrow)]
    pub(super) image_url: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) input_audio: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) file_data: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) file_url: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) file_id: Option<&'a RawValue>,
}

/// An offered tool.
#[derive(Debug, Deserialize)]
pub(super) struct Tool<'a> {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    #[serde(borrow)]
    pub(super) parameters: Option<&'a RawValue>,
}

/// How the text of the answer is formatted.
#[derive(Debug, Deserialize)]
pub(super) struct Text<'a> {
    #[serde(borrow)]
    pub(super) format: Option<Format<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Format<'a> {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(borrow)]
    pub(super) name: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) strict: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) schema: Option<&'a RawValue>,
}

impl Listed for Item<'_> {
    const PLURAL: &'static str = "items";
}

impl Listed for Part<'_> {
    const PLURAL: &'static str = "parts";
}
