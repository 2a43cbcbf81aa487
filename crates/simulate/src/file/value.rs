//! Values that are validated when the file is parsed: numbers, times, texts or mappings, and models.

use std::{fmt, marker::PhantomData};

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::BaseTimestamp;

/// A whole number in a range.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "i64")]
pub(crate) struct Count<const MIN: u32, const MAX: u32>(pub(crate) u32);

impl<const MIN: u32, const MAX: u32> TryFrom<i64> for Count<MIN, MAX> {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        let valid = u32::try_from(number).ok().filter(|number| (MIN..=MAX).contains(number));
        valid.map(Self).ok_or_else(|| format!("{number} is out of range; use {MIN} to {MAX}"))
    }
}

impl<const MIN: u32, const MAX: u32> JsonSchema for Count<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Count_{MIN}_{MAX}").into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

/// A point in time such as 2026-05-01T09:00:00Z, or now.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub(crate) struct StartTime(pub(crate) BaseTimestamp);

impl TryFrom<String> for StartTime {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == "now" {
            return Ok(Self(BaseTimestamp::Now));
        }
        text.parse().map(|time| Self(BaseTimestamp::At(time))).map_err(|_| {
            let expected = "use now or RFC 3339, such as 2026-05-01T09:00:00Z";
            format!("{text:?} is not a point in time; {expected}")
        })
    }
}

/// A text, or a mapping for the cases that a text cannot express.
#[derive(Debug, Clone, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Short<T> {
    Text(String),
    Full(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Short<T> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(ShortVisitor(PhantomData))
    }
}

struct ShortVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ShortVisitor<T> {
    type Value = Short<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a mapping")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Short<T>, E> {
        Ok(Short::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Short<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Short::Full)
    }
}

/// Where a model is.
#[derive(Debug, Clone)]
pub(crate) enum ModelRef {
    /// A component in this process.
    Component(String),
    /// A component behind a sidecar.
    Sidecar(SidecarSource),
}

/// A component of a sidecar, mynah or daprd.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SidecarSource {
    /// gRPC address of the sidecar, such as 127.0.0.1:50001.
    pub(crate) address: String,
    /// Name of the component. Default: the only conversation component.
    pub(crate) component: Option<String>,
}

/// A model that judges conversations or finds intents.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "JudgeFields")]
#[schemars(with = "JudgeFields")]
pub(crate) struct JudgeSource {
    pub(crate) model: ModelRef,
    pub(crate) instructions: Option<String>,
}

/// A model that judges conversations or finds intents: `component` or `sidecar`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    rename = "Judge",
    extend("oneOf" = [{ "required": ["component"] }, { "required": ["sidecar"] }])
)]
struct JudgeFields {
    /// Name of the component.
    component: Option<String>,
    /// A component of a Dapr sidecar.
    sidecar: Option<SidecarSource>,
    /// Instructions, as a user message before each question. An instruction chain goes here; each
    /// question gets its first step.
    instructions: Option<String>,
}

impl TryFrom<JudgeFields> for JudgeSource {
    type Error = &'static str;

    fn try_from(fields: JudgeFields) -> Result<Self, &'static str> {
        let JudgeFields { component, sidecar, instructions } = fields;
        match (component, sidecar) {
            (Some(component), None) => Ok(ModelRef::Component(component)),
            (None, Some(sidecar)) => Ok(ModelRef::Sidecar(sidecar)),
            _ => Err("a model needs exactly one of component and sidecar"),
        }
        .map(|model| Self { model, instructions })
    }
}

impl From<String> for JudgeSource {
    fn from(component: String) -> Self {
        Self { model: ModelRef::Component(component), instructions: None }
    }
}
