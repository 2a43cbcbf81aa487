//! Reads JSON, with errors that name the value.

use mynah_core::base::mapping::Mapping;
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::{Deserialize, de::value::MapDeserializer};
use serde_json::value::RawValue;
use serde_path_to_error::Track;

use super::StepError;

/// What JSON calls a mapping, for errors.
const OBJECT: &str = "an object";

/// Reads valid JSON.
pub(crate) fn read<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, StepError> {
    read_as(json, OBJECT)
}

/// Reads valid JSON of a format that calls a mapping so.
pub(crate) fn read_as<'a, T: Deserialize<'a>>(
    json: &'a str,
    mapping: &str,
) -> Result<T, StepError> {
    // Reading again for the path is slow, but only needed if something is wrong.
    serde_json::from_str(json).or_else(|_| {
        let mut json = serde_json::Deserializer::from_str(json);
        let read = serde_path_to_error::deserialize(&mut json);
        read.map_err(|error| StepError::of_reader(error.path(), error.inner(), mapping))
    })
}

/// Reads an object.
pub(crate) fn read_object<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, StepError> {
    read(json).map(|Mapping(object)| object)
}

/// Reads some members of an object.
pub(crate) fn read_members<'a, T: Deserialize<'a>>(
    members: Vec<(String, &'a RawValue)>,
) -> Result<T, StepError> {
    let mut track = Track::new();
    let members = MapDeserializer::<_, serde_json::Error>::new(members.into_iter());
    let read = T::deserialize(serde_path_to_error::Deserializer::new(members, &mut track));
    read.map_err(|error| StepError::of_reader(&track.path(), &error, OBJECT))
}

/// Returns the JSON Schema of a format.
pub(crate) fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>()
}
