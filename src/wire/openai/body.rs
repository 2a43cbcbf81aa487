//! The body of a request, as far as mynah reads it. Other keys are accepted without effect.

use std::{borrow::Cow, collections::BTreeMap, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, SeqAccess, Visitor, value::SeqAccessDeserializer},
};
use serde_json::{Value, value::RawValue};

/// The body of a request for a chat completion.
#[derive(Debug, Deserialize)]
pub(super) struct Body<'a> {
    #[serde(borrow)]
    pub(super) model: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) messages: Option<Vec<Message<'a>>>,
    #[serde(borrow)]
    pub(super) tools: Option<Vec<Tool<'a>>>,
    pub(super) tool_choice: Option<Value>,
    pub(super) parallel_tool_calls: Option<bool>,
    #[serde(borrow)]
    pub(super) response_format: Option<ResponseFormat<'a>>,
    pub(super) n: Option<u64>,
    pub(super) stream: Option<bool>,
    pub(super) stream_options: Option<StreamOptions>,
    pub(super) temperature: Option<f64>,
    pub(super) max_tokens: Option<i64>,
    pub(super) max_completion_tokens: Option<i64>,
    pub(super) metadata: Option<BTreeMap<String, String>>,
    #[serde(borrow)]
    pub(super) seed: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) stop: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) top_p: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) presence_penalty: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) frequency_penalty: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) logit_bias: Option<&'a RawValue>,
    pub(super) logprobs: Option<bool>,
    pub(super) functions: Option<IgnoredAny>,
    pub(super) function_call: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StreamOptions {
    pub(super) include_usage: Option<bool>,
}

/// A message in the history.
#[derive(Debug, Deserialize)]
pub(super) struct Message<'a> {
    pub(super) role: Role,
    pub(super) name: Option<String>,
    #[serde(borrow)]
    pub(super) content: Option<TextOr<Part<'a>>>,
    pub(super) tool_calls: Option<Vec<ToolCall>>,
    pub(super) tool_call_id: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    Developer,
    System,
    User,
    Assistant,
    Tool,
}

/// A text, or an array of values of which each has a type.
#[derive(Debug)]
pub(super) enum TextOr<T> {
    Text(String),
    List(Vec<T>),
}

/// A value of an array that can stand in place of a text.
pub(super) trait Listed {
    /// What errors call several of the values.
    const PLURAL: &'static str;
}

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
    pub(super) file: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ToolCall {
    pub(super) id: Option<String>,
    pub(super) function: CalledFunction,
}

#[derive(Debug, Deserialize)]
pub(super) struct CalledFunction {
    pub(super) name: String,
    #[serde(default)]
    pub(super) arguments: String,
}

/// An offered tool.
#[derive(Debug, Deserialize)]
pub(super) struct Tool<'a> {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(borrow)]
    pub(super) function: Option<Function<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Function<'a> {
    pub(super) name: String,
    pub(super) description: Option<String>,
    #[serde(borrow)]
    pub(super) parameters: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ResponseFormat<'a> {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(borrow)]
    pub(super) json_schema: Option<JsonSchema<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct JsonSchema<'a> {
    #[serde(borrow)]
    pub(super) name: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) strict: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) schema: Option<&'a RawValue>,
}

impl Listed for Part<'_> {
    const PLURAL: &'static str = "parts";
}

impl<'de, T: Deserialize<'de> + Listed> Deserialize<'de> for TextOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrVisitor(PhantomData))
    }
}

/// Reads either form. serde's untagged enums would say less about what is wrong in a part.
struct TextOrVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Listed> Visitor<'de> for TextOrVisitor<T> {
    type Value = TextOr<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a text or an array of {}", T::PLURAL)
    }

    fn visit_str<E>(self, text: &str) -> Result<TextOr<T>, E> {
        Ok(TextOr::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<TextOr<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(values)).map(TextOr::List)
    }
}
