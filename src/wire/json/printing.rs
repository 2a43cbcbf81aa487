//! How the fast way prints: by serde, straight from the message.

use std::collections::BTreeMap;

use itoa::Integer;
use prost_types::Any;
use serde::{
    Serialize, Serializer,
    ser::{Error, SerializeMap},
};

/// A message whose members the fast way knows.
pub trait Members {
    /// Prints the members that are not defaults, sorted by name.
    fn print<O: SerializeMap>(&self, object: &mut Object<O>) -> Result<(), O::Error>;
}

/// Prints a message.
pub(super) fn write<M: Members>(message: &M) -> serde_json::Result<String> {
    serde_json::to_string(&Printed(message))
}

/// An object that gets its members one by one.
pub struct Object<O>(O);

impl<O: SerializeMap> Object<O> {
    pub(super) fn text(&mut self, name: &'static str, text: &str) -> Result<(), O::Error> {
        if text.is_empty() { Ok(()) } else { self.0.serialize_entry(name, text) }
    }

    /// A text that may be absent.
    pub(super) fn optional(
        &mut self,
        name: &'static str,
        text: &Option<String>,
    ) -> Result<(), O::Error> {
        text.as_ref().map_or(Ok(()), |text| self.0.serialize_entry(name, text))
    }

    /// A number of 64 bits, which is printed as a text.
    pub(super) fn number<N: Integer + Default + PartialEq>(
        &mut self,
        name: &'static str,
        number: &N,
    ) -> Result<(), O::Error> {
        if *number == N::default() {
            return Ok(());
        }
        self.0.serialize_entry(name, itoa::Buffer::new().format(*number))
    }

    pub(super) fn message<M: Members>(
        &mut self,
        name: &'static str,
        message: &Option<M>,
    ) -> Result<(), O::Error> {
        message.as_ref().map_or(Ok(()), |message| self.one_of(name, message))
    }

    /// The message of a oneof.
    pub(super) fn one_of<M: Members>(
        &mut self,
        name: &'static str,
        message: &M,
    ) -> Result<(), O::Error> {
        self.0.serialize_entry(name, &Printed(message))
    }

    pub(super) fn list<M: Members>(
        &mut self,
        name: &'static str,
        messages: &[M],
    ) -> Result<(), O::Error> {
        if messages.is_empty() { Ok(()) } else { self.0.serialize_entry(name, &List(messages)) }
    }

    /// What only the exact way prints.
    pub(super) fn leave(
        &mut self,
        name: &'static str,
        parameters: &BTreeMap<String, Any>,
    ) -> Result<(), O::Error> {
        if parameters.is_empty() { Ok(()) } else { Err(O::Error::custom(name)) }
    }
}

struct Printed<'a, M>(&'a M);

impl<M: Members> Serialize for Printed<'_, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object(serializer.serialize_map(None)?);
        self.0.print(&mut object)?;
        object.0.end()
    }
}

struct List<'a, M>(&'a [M]);

impl<M: Members> Serialize for List<'_, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Printed))
    }
}
