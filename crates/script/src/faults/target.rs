//! Faults, and the calls that they are for.

use std::{borrow::Cow, fmt};

use mynah_core::base::{mapping::Mapping, schema_keys::having};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Value, value::RawValue};

use super::{
    fault::Faults,
    source::{FaultSource, FaultsSource},
};
use crate::steps::{StepError, Text, keys_of, read, read_members};

/// The name of a component or a session.
type Name = Text<256>;

const FAULTS: &str = "faults";

/// Faults, and the calls that they are for.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultTarget {
    /// The component. `None` stands for all components.
    pub component: Option<String>,
    /// The session. `None` stands for all sessions.
    pub session: Option<String>,
    /// The faults. If there are none, earlier ones are removed.
    pub faults: Faults,
    /// The list of faults as written.
    pub written: Value,
}

/// The keys that a target has in addition to those of a fault.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TargetSource {
    /// The component whose calls have the fault. Default: all.
    #[schemars(extend("minLength" = 1))]
    component: Option<Name>,
    /// The session whose calls have the fault. Default: all.
    #[schemars(extend("minLength" = 1))]
    session: Option<Name>,
    /// A list of faults instead of one.
    #[schemars(length(max = super::MAX_FAULTS))]
    faults: Option<Vec<Mapping<FaultSource>>>,
}

impl Faults {
    /// Reads a fault or a list of faults.
    pub fn parse(text: &str) -> Result<Self, StepError> {
        read::<FaultsSource>(json(text)?)?.check()
    }
}

impl FaultTarget {
    /// Reads a fault with the keys `component` and `session`, or an object that has a list of faults
    /// under the key `faults`.
    pub fn parse(text: &str) -> Result<Self, StepError> {
        let Members(members) = read(json(text)?)?;
        let target_keys = keys_of::<TargetSource>();
        let (own, of_fault): (Vec<_>, Vec<_>) =
            members.into_iter().partition(|(key, _)| target_keys.contains(&key.as_str()));
        let written = written(&own, &of_fault);
        let TargetSource { component, session, faults } = read_members(own)?;
        let faults = match faults {
            Some(_) if of_fault.iter().any(|(_, value)| value.get() != "null") => {
                return Err(StepError::new("has both faults and keys of a fault"));
            }
            Some(faults) => Faults::check(faults, |error, index| error.within_item(FAULTS, index))?,
            None => FaultsSource::One(Box::new(read_members(of_fault)?)).check()?,
        };
        let name = |name: Option<Name>| name.map(|name| name.0);
        Ok(Self { component: name(component), session: name(session), faults, written })
    }
}

/// Returns the list of faults that members have, or are.
fn written(own: &[(String, &RawValue)], of_fault: &[(String, &RawValue)]) -> Value {
    // The text has been read as JSON, but it may be nested too deeply for a value, and then is invalid.
    let value = |value: &RawValue| serde_json::from_str::<Value>(value.get()).unwrap_or_default();
    match own.iter().find(|(key, _)| key == FAULTS).map(|(_, list)| value(list)) {
        Some(list @ Value::Array(_)) => list,
        _ => {
            let members = of_fault.iter().map(|(key, member)| (key.clone(), value(member)));
            Value::Array(vec![members.filter(|(_, it)| !it.is_null()).collect()])
        }
    }
}

/// Checks that a text is JSON.
fn json(text: &str) -> Result<&str, StepError> {
    let error = |error: serde_json::Error| StepError::new(format!("is not JSON: {error}"));
    serde_json::from_str::<&RawValue>(text).map(RawValue::get).map_err(error)
}

/// The members of an object in order, including duplicates.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

impl JsonSchema for FaultTarget {
    fn schema_name() -> Cow<'static, str> {
        "FaultTarget".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = FaultSource::json_schema(generator);
        let mut own = TargetSource::json_schema(generator);
        let own = own.get_mut("properties").and_then(Value::as_object_mut);
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        if let (Some(properties), Some(own)) = (properties, own) {
            properties.append(own);
        }
        // A list of faults can take the place of the keys of a fault.
        if let Some(Value::Array(effects)) = schema.get_mut("anyOf") {
            effects.push(having(&[FAULTS])[0].take());
        }
        schema
    }
}
