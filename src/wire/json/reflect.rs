//! Reads and writes every message through its descriptor.

use std::sync::LazyLock;

use prost::{Message, Name};
use prost_reflect::{DescriptorPool, DeserializeOptions, DynamicMessage, MessageDescriptor};
use prost_types::{DescriptorProto, FileDescriptorProto, FileDescriptorSet};
use serde_json::{Deserializer, Value, error::Category};

use crate::{
    base::number::normalize_integers,
    wire::{
        DESCRIPTORS,
        error::{self, Error},
    },
};

/// Built on first use, because building it takes more than a millisecond and two megabytes.
#[expect(clippy::expect_used, reason = "the build script writes valid descriptors")]
static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    // Start with the global pool, which has the well-known types: an `Any` may contain them.
    let mut pool = DescriptorPool::global();
    pool.decode_file_descriptor_set(DESCRIPTORS)
        .expect("the build script writes valid descriptors");
    pool
});

/// [`POOL`] without the fields of `google.protobuf.Struct`, so that structs are read as unknown
/// fields and kept as bytes. As dynamic messages, they would take hundreds of times as much memory
/// as their JSON text.
#[expect(clippy::expect_used, reason = "the build script writes valid descriptors")]
static READING: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let files = POOL.file_descriptor_protos().cloned().map(without_struct_fields);
    let mut pool = DescriptorPool::new();
    pool.add_file_descriptor_set(FileDescriptorSet { file: files.collect() })
        .expect("the build script writes valid descriptors");
    pool
});

fn without_struct_fields(mut file: FileDescriptorProto) -> FileDescriptorProto {
    if file.name() == "google/protobuf/struct.proto" {
        for message in &mut file.message_type {
            *message = DescriptorProto { name: message.name.take(), ..Default::default() };
        }
    }
    file
}

/// Reads a message. An empty body is read as `{}`.
///
/// # Errors
///
/// Returns [`Error::MalformedBody`] if the body is not valid proto JSON for the message.
///
/// ```
/// use mynah::internals::wire::{json, proto::SetMetadataRequest};
/// let request: SetMetadataRequest = json::read(br#"{"key": "a", "unknown": 1}"#)?;
/// assert_eq!(request.key, "a");
/// # Ok::<(), mynah::internals::wire::error::Error>(())
/// ```
pub fn read<M: Message + Name + Default>(body: &[u8]) -> Result<M, Error> {
    if body.is_empty() {
        return Ok(M::default());
    }
    let mut reader = Deserializer::from_slice(body);
    let options = DeserializeOptions::new().deny_unknown_fields(false);
    let message =
        DynamicMessage::deserialize_with_options(find::<M>(&READING), &mut reader, &options)
            .and_then(|message| reader.end().map(|()| message))
            .map_err(|error| Error::MalformedBody(explain(&error)))?;
    M::decode(message.encode_to_vec().as_slice())
        .map_err(|error| Error::MalformedBody(error::innermost(&error)))
}

/// Writes a message.
///
/// # Errors
///
/// Returns [`Error::MalformedMessage`] if the message contains an `Any` of an unknown type or a
/// number that JSON cannot represent.
///
/// ```
/// use mynah::internals::wire::{json, proto::MetadataWorkflows};
/// let workflows = MetadataWorkflows { connected_workers: 2 };
/// assert_eq!(json::write(&workflows)?, r#"{"connectedWorkers":2}"#);
/// # Ok::<(), mynah::internals::wire::error::Error>(())
/// ```
pub fn write<M: Message + Name>(message: &M) -> Result<String, Error> {
    Ok(value(message)?.to_string())
}

/// Converts a message to the JSON value that [`write`] formats.
pub(crate) fn value<M: Message + Name>(message: &M) -> Result<Value, Error> {
    let message = DynamicMessage::decode(descriptor::<M>(), message.encode_to_vec().as_slice())?;
    // Convert to a `Value`, because its maps are sorted. The maps of a `DynamicMessage` are hash
    // maps.
    let mut value = serde_json::to_value(&message)
        .map_err(|error| Error::MalformedMessage(error.to_string()))?;
    // Go writes whole numbers without a fraction.
    normalize_integers(&mut value);
    Ok(value)
}

/// Returns the descriptor of a generated message.
pub(crate) fn descriptor<M: Name>() -> MessageDescriptor {
    find::<M>(&POOL)
}

#[expect(
    clippy::expect_used,
    reason = "messages and descriptors are generated from the same files"
)]
fn find<M: Name>(pool: &DescriptorPool) -> MessageDescriptor {
    pool.get_message_by_name(&M::full_name()).expect("the pool contains every generated message")
}

/// Formats a serde_json error like Go's protojson.
fn explain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let (what, _) = text.rsplit_once(" at line ").unwrap_or((&text, ""));
    let place = format!("(line {}:{})", error.line(), error.column().max(1));
    let what = match what {
        "failed to parse duration" => "not a duration in seconds, such as \"86400s\"",
        other if other.contains("recursion limit") => "message is nested too deeply",
        other => other,
    };
    match error.classify() {
        Category::Eof => "unexpected EOF".to_owned(),
        Category::Syntax => format!("syntax error {place}: {what}"),
        Category::Data | Category::Io => format!("{place}: {what}"),
    }
}
