//! How the fast way reads: by serde, straight into the message.
//!
//! It accepts nothing that the exact way refuses, and reads the same. So whatever a request seldom
//! has, it may refuse.

use std::{fmt, marker::PhantomData};

use prost_types::Struct;
use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, Visitor},
};

use super::structs::Outermost;

/// A message whose fields the fast way knows.
pub trait Fields: Default {
    /// Reads the value of a field.
    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        field: &str,
        value: Value<'_, A>,
    ) -> Result<(), A::Error>;
}

/// Reads a message.
pub(super) fn read<M: Fields>(body: &[u8]) -> serde_json::Result<M> {
    serde_json::from_slice(body).map(|Object(message)| message)
}

/// The value of a field, not read yet. `null` leaves a field as it is.
pub struct Value<'a, A>(&'a mut A);

impl<'de, A: MapAccess<'de>> Value<'_, A> {
    /// A text, or a map of texts. If it comes twice, the last one counts.
    pub(super) fn plain<T: Deserialize<'de>>(self, field: &mut T) -> Result<(), A::Error> {
        if let Some(value) = self.0.next_value()? {
            *field = value;
        }
        Ok(())
    }

    /// A list of messages, likewise.
    pub(super) fn list<M: Fields>(self, field: &mut Vec<M>) -> Result<(), A::Error> {
        if let Some(list) = self.0.next_value::<Option<Vec<_>>>()? {
            *field = list.into_iter().map(|Object(message)| message).collect();
        }
        Ok(())
    }

    /// A scalar that may be absent.
    pub(super) fn optional<T: Deserialize<'de>>(
        self,
        field: &mut Option<T>,
    ) -> Result<(), A::Error> {
        fill(field, self.0.next_value()?)
    }

    /// A struct.
    pub(super) fn structure(self, field: &mut Option<Struct>) -> Result<(), A::Error> {
        fill(field, self.0.next_value::<Option<_>>()?.map(|Outermost(members)| members))
    }

    /// One of the messages of a oneof.
    pub(super) fn one_of<M: Fields, T>(
        self,
        field: &mut Option<T>,
        variant: fn(M) -> T,
    ) -> Result<(), A::Error> {
        fill(field, self.0.next_value::<Option<_>>()?.map(|Object(message)| variant(message)))
    }

    /// What only the exact way reads.
    pub(super) fn leave(self) -> Result<(), A::Error> {
        self.0.next_value::<()>()
    }

    /// What the message does not know.
    pub(super) fn pass_over(self) -> Result<(), A::Error> {
        self.0.next_value::<IgnoredAny>().map(|_| ())
    }
}

/// What may be absent cannot come twice, nor two of a oneof.
fn fill<T, E: Error>(field: &mut Option<T>, value: Option<T>) -> Result<(), E> {
    match value {
        Some(_) if field.is_some() => Err(E::custom("twice")),
        Some(_) => {
            *field = value;
            Ok(())
        }
        None => Ok(()),
    }
}

struct Object<M>(M);

impl<'de, M: Fields> Deserialize<'de> for Object<M> {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_map(Reader(PhantomData))
    }
}

struct Reader<M>(PhantomData<M>);

impl<'de, M: Fields> Visitor<'de> for Reader<M> {
    type Value = Object<M>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Object<M>, A::Error> {
        let mut message = M::default();
        // Borrowed from the body, which a name with escapes is not.
        while let Some(field) = members.next_key::<&str>()? {
            message.read(field, Value(&mut members))?;
        }
        Ok(Object(message))
    }
}
