//! The format of faults. The doc comments are also the descriptions in the JSON Schema.

use std::fmt;

use mynah_core::{
    base::{mapping::Mapping, schema_keys::having},
    chat::MissingPart,
    provider::call::Surface,
};
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{
        Error, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};

use crate::steps::{Chunks, ErrorSource, GoDuration, MAX_EXACT, Text, True, Whole, Word};

/// Number of calls in a session.
type Calls = Whole<1, 1_000_000_000>;

/// What a fault does. A fault has at most one of them, except for the delay.
pub(super) const EFFECTS: [&str; 7] =
    ["delay", "error", "hang", "cut_after", "reset", "malformed_args", "empty"];

/// A fault, or a list of faults of which the first one that applies to a call is used. Fields that are
/// null are ignored.
#[derive(Debug, JsonSchema)]
#[schemars(title = "Faults", rename = "Faults", untagged)]
pub(crate) enum FaultsSource {
    /// A fault.
    One(Box<FaultSource>),
    /// A list of faults.
    List(#[schemars(length(max = super::MAX_FAULTS))] Vec<Mapping<FaultSource>>),
}

/// A fault. Requires delay, error, hang, cut_after, reset, malformed_args or empty. Excludes more than one
/// of them, except for delay.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Fault", extend("anyOf" = having(&EFFECTS)))]
pub(crate) struct FaultSource {
    /// The APIs whose calls have the fault. Default: all.
    #[schemars(extend("minItems" = 1))]
    pub(super) surfaces: Option<Vec<Word<Surface>>>,
    /// Only the first calls of each session have the fault.
    pub(super) fail_first: Option<Calls>,
    /// Only every n-th call of each session has the fault.
    pub(super) every: Option<Calls>,
    /// Only some calls have the fault. It depends on the seed, the session and the messages of the
    /// request.
    pub(super) probability: Option<Probability>,
    /// Changes which calls have a fault with a probability. Default: 0.
    pub(super) seed: Option<Whole<0, MAX_EXACT>>,
    /// Delay before the call is answered or has another fault.
    pub(super) delay: Option<GoDuration>,
    /// The call fails.
    pub(super) error: Option<Mapping<ErrorSource>>,
    /// Only for gRPC: true sends the status of the error in the headers, false sends it in trailers after
    /// the headers.
    pub(super) trailers_only: Option<bool>,
    /// The call has no answer until its deadline.
    pub(super) hang: Option<True>,
    /// Number of chunks after which a stream breaks off. A response that is not streamed always breaks
    /// off.
    pub(super) cut_after: Option<Chunks>,
    /// The connection is reset.
    pub(super) reset: Option<True>,
    /// The arguments of tool calls are this text, or are truncated. Only calls with tool calls in their
    /// answer count.
    pub(super) malformed_args: Option<MalformedArguments>,
    /// The part of the response that is left out.
    pub(super) empty: Option<Word<MissingPart>>,
}

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "f64")]
#[schemars(inline, with = "f64", extend("minimum" = 0, "maximum" = 1))]
pub(super) struct Probability(pub(super) f64);

/// The text that takes the place of arguments.
#[derive(Debug, JsonSchema)]
#[schemars(inline, untagged)]
pub(super) enum MalformedArguments {
    Text(Text<10_000>),
    Truncated(True),
}

impl TryFrom<f64> for Probability {
    type Error = &'static str;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        match number {
            0.0..=1.0 => Ok(Self(number)),
            _ => Err("must be a number from 0 to 1"),
        }
    }
}

impl<'de> Deserialize<'de> for MalformedArguments {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(ArgumentsVisitor)
    }
}

struct ArgumentsVisitor;

impl Visitor<'_> for ArgumentsVisitor {
    type Value = MalformedArguments;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true or a string")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<MalformedArguments, E> {
        True::try_from(value).map(MalformedArguments::Truncated).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<MalformedArguments, E> {
        Text::try_from(text.to_owned()).map(MalformedArguments::Text).map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for FaultsSource {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(FaultsVisitor)
    }
}

struct FaultsVisitor;

impl<'de> Visitor<'de> for FaultsVisitor {
    type Value = FaultsSource;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, fault: A) -> Result<FaultsSource, A::Error> {
        FaultSource::deserialize(MapAccessDeserializer::new(fault))
            .map(|fault| FaultsSource::One(Box::new(fault)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, faults: A) -> Result<FaultsSource, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(faults)).map(FaultsSource::List)
    }
}
