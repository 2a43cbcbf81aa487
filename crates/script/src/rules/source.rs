//! The format of rules. The doc comments are also the descriptions in the JSON Schema.

use std::{borrow::Cow, marker::PhantomData};

use mynah_core::base::{
    mapping::Mapping,
    schema_keys::{having, lacking},
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, value::RawValue};

use super::{
    expectation::Expectation,
    matching::{Match, request::NormalizationSource},
};
use crate::{
    OnExhausted,
    faults::FaultsSource,
    steps::{AnswerSource, Scalar, StepError, Whole, Word, read_as, schema_of},
};

/// What files call a mapping, for errors.
const MAPPING: &str = "a mapping";

/// Rules for the answers of scripted components.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Rules", extend("anyOf" = having(&["rules", "expect"])))]
pub(super) struct RulesSource<'a> {
    /// The rules. The first rule whose conditions hold answers the request.
    #[serde(borrow)]
    #[schemars(extend("minItems" = 1))]
    pub(super) rules: Option<Vec<Part<'a, Mapping<RuleSource<'a>>>>>,
    /// The calls that are expected. `mynah verify` and `mynah run` check them.
    #[schemars(extend("minItems" = 1))]
    pub(super) expect: Option<Vec<Part<'a, Mapping<Expectation>>>>,
    /// What is equal in requests that are compared with recorded ones: uuid, datetime, date, port, tmp, hex,
    /// and patterns with what replaces their matches. Default: uuid and datetime.
    pub(super) normalize: Option<Part<'a, Vec<NormalizationSource>>>,
    /// Location of this schema, for editors.
    #[serde(rename = "$schema")]
    _schema: Option<String>,
}

/// The answers to the requests that meet some conditions: exactly one of `respond`, `chain` and
/// `sequence`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Rule", extend(
    "oneOf" = having(&["respond", "chain", "sequence"]),
    "if" = having(&["respond"])[0],
    "then" = {
        "allOf": [
            lacking(&["on_exhausted"]),
            { "properties": { "respond": lacking(&["times"]) } },
        ],
    },
))]
pub(super) struct RuleSource<'a> {
    /// Unique name, for messages and reports.
    #[serde(rename = "name")]
    _name: Option<Scalar>,
    /// Conditions on the request. All must hold. Default: all requests.
    #[serde(borrow)]
    pub(super) r#match: Option<Part<'a, Match>>,
    /// The answer.
    pub(super) respond: Option<AnswerSource<'a>>,
    /// The answers by the number of assistant turns since the last user message.
    #[schemars(extend("minItems" = 1))]
    pub(super) chain: Option<Vec<AnswerSource<'a>>>,
    /// The answers by the number of times that this rule has answered in the session.
    #[schemars(extend("minItems" = 1))]
    pub(super) sequence: Option<Vec<AnswerSource<'a>>>,
    /// The answer after the last entry. Default: for a sequence, `repeat_last`; for a chain, the
    /// setting of the component.
    pub(super) on_exhausted: Option<Part<'a, Word<OnExhausted>>>,
    /// How often the rule answers in a session. After that, other rules answer.
    pub(super) times: Option<Part<'a, Whole<1, { u64::MAX }>>>,
    /// Rules with a higher priority are tried first. Default: 0.
    pub(super) priority: Option<Part<'a, i64>>,
    /// Whether the rule may call tools that the request does not offer. Default: the setting of the
    /// component.
    pub(super) allow_unoffered: Option<Part<'a, bool>>,
    /// The faults of the calls that the rule answers: a fault, or a list of faults of which the first
    /// one that applies is used.
    pub(super) faults: Option<Part<'a, FaultsSource>>,
}

impl<'a> RulesSource<'a> {
    /// Reads the outline of a file.
    pub(super) fn read(json: &'a str) -> Result<Self, StepError> {
        read_as(json, MAPPING).map(|Mapping(rules)| rules)
    }
}

/// A part that is read on its own, so that its error hides no other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a, T>(&'a RawValue, PhantomData<T>);

impl<'a, T: Deserialize<'a>> Part<'a, T> {
    pub(super) fn read(&self) -> Result<T, StepError> {
        read_as(self.0.get(), MAPPING)
    }
}

impl<'de: 'a, 'a, T> Deserialize<'de> for Part<'a, T> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(source).map(|value| Self(value, PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Part<'_, T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Returns the JSON Schema of the file format.
pub fn schema() -> Value {
    schema_of::<RulesSource<'_>>().to_value()
}
