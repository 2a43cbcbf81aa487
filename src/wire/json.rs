//! Proto JSON in daprd's dialect: reads lowerCamelCase and snake_case, passes over unknown fields,
//! prints lowerCamelCase, 64-bit integers as text, no defaults, maps by key.

use std::sync::LazyLock;

use prost::{Message, Name};
use prost_reflect::{DescriptorPool, DeserializeOptions, DynamicMessage, MessageDescriptor};
use serde_json::{Deserializer, Value, error::Category};

use super::error::{self, Error};

/// Built at first use: it takes over a millisecond and two megabytes.
#[expect(clippy::expect_used, reason = "the build script made these descriptors")]
static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    // The global pool knows the well-known types, which an `Any` may hold.
    let mut pool = DescriptorPool::global();
    pool.decode_file_descriptor_set(super::DESCRIPTORS)
        .expect("the build script made these descriptors");
    pool
});

/// Reads a message; an empty body counts as `{}`.
///
/// ```
/// use mynah::wire::{json, proto::SetMetadataRequest};
/// let request: SetMetadataRequest = json::read(br#"{"key": "a", "unknown": 1}"#)?;
/// assert_eq!(request.key, "a");
/// # Ok::<(), mynah::wire::error::Error>(())
/// ```
pub fn read<M: Message + Name + Default>(body: &[u8]) -> Result<M, Error> {
    if body.is_empty() {
        return Ok(M::default());
    }
    let mut reader = Deserializer::from_slice(body);
    let options = DeserializeOptions::new().deny_unknown_fields(false);
    let message =
        DynamicMessage::deserialize_with_options(descriptor::<M>(), &mut reader, &options)
            .and_then(|message| reader.end().map(|()| message))
            .map_err(|error| Error::MalformedBody(explain(&error)))?;
    M::decode(message.encode_to_vec().as_slice())
        .map_err(|error| Error::MalformedBody(error::shorten(&error)))
}

/// Prints a message.
///
/// Fails on an `Any` of a type that is not known here, which cannot be printed.
///
/// ```
/// use mynah::wire::{json, proto::MetadataWorkflows};
/// let workflows = MetadataWorkflows { connected_workers: 2 };
/// assert_eq!(json::write(&workflows)?, r#"{"connectedWorkers":2}"#);
/// # Ok::<(), mynah::wire::error::Error>(())
/// ```
pub fn write<M: Message + Name>(message: &M) -> Result<String, Error> {
    let message = DynamicMessage::decode(descriptor::<M>(), message.encode_to_vec().as_slice())?;
    // By way of a value, whose maps are sorted; the message's own are hash maps.
    let mut value = serde_json::to_value(&message)
        .map_err(|error| Error::MalformedMessage(error.to_string()))?;
    drop_fractions(&mut value);
    Ok(value.to_string())
}

#[expect(clippy::expect_used, reason = "messages and descriptors come from the same files")]
fn descriptor<M: Name>() -> MessageDescriptor {
    POOL.get_message_by_name(&M::full_name()).expect("the pool holds every generated message")
}

/// serde_json's words in the form of Go's protojson: what, and where.
fn explain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let (what, _) = text.rsplit_once(" at line ").unwrap_or((&text, ""));
    let place = format!("(line {}:{})", error.line(), error.column().max(1));
    let what = match what {
        "failed to parse duration" => "not a duration in seconds, such as \"86400s\"",
        other => other,
    };
    match error.classify() {
        Category::Eof => "unexpected EOF".to_owned(),
        Category::Syntax => format!("syntax error {place}: {what}"),
        Category::Data | Category::Io => format!("{place}: {what}"),
    }
}

/// Go prints a whole double without a fraction.
fn drop_fractions(value: &mut Value) {
    const EXACT: f64 = (1_u64 << 53) as f64;
    match value {
        Value::Number(number) => {
            if let Some(whole) =
                number.as_f64().filter(|n| number.is_f64() && n.fract() == 0.0 && n.abs() <= EXACT)
            {
                *value = Value::from(whole as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(drop_fractions),
        Value::Object(members) => members.values_mut().for_each(drop_fractions),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
