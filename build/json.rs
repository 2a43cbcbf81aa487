//! Generates the implementations of `FastRead` and `FastWrite` for `src/wire/json/`.
//!
//! Each message field becomes one line of code. Its type selects the implementation that runs:
//!
//! ```text
//! "contextId" | "context_id" => self.context_id.read_from(object),
//! self.context_id.write_to("contextId", object)?;
//! ```

use heck::{ToSnakeCase, ToUpperCamelCase};
use protox::prost_reflect::{DescriptorPool, FieldDescriptor, Kind, MessageDescriptor};

const PACKAGE: &str = "dapr.proto.runtime.v1";

/// The messages in HTTP requests.
const REQUESTS: [&str; 2] = ["ConversationRequest", "ConversationRequestAlpha2"];

/// The messages in HTTP responses.
const RESPONSES: [&str; 4] = [
    "ConversationResponse",
    "ConversationResponseAlpha2",
    "ConversationStreamResponse",
    "ConversationStreamResponseAlpha2",
];

/// Generates readers for requests and writers for responses, and for the messages inside them.
pub(crate) fn generate(pool: &DescriptorPool) -> String {
    let readers = reachable(pool, &REQUESTS).into_iter().map(|message| reader(&message));
    let writers = reachable(pool, &RESPONSES).into_iter().map(|message| writer(&message));
    readers.chain(writers).collect()
}

/// Returns the messages with these names and all messages of the package that they contain.
fn reachable(pool: &DescriptorPool, names: &[&str]) -> Vec<MessageDescriptor> {
    let find = |name: &&str| pool.get_message_by_name(&format!("{PACKAGE}.{name}"));
    let mut messages: Vec<_> = names.iter().filter_map(find).collect();
    let mut next = 0;
    while let Some(message) = messages.get(next).cloned() {
        for field in message.fields().filter(|field| !field.is_map()) {
            match field.kind() {
                Kind::Message(inner)
                    if inner.package_name() == PACKAGE && !messages.contains(&inner) =>
                {
                    messages.push(inner);
                }
                _ => {}
            }
        }
        next += 1;
    }
    messages
}

fn reader(message: &MessageDescriptor) -> String {
    let arms: String = message.fields().map(|field| read_arm(&field)).collect();
    format!(
        "impl FastRead for proto::{} {{
            fn read_field<'de, A: MapAccess<'de>>(
                &mut self,
                name: &str,
                object: &mut A,
            ) -> Result<(), A::Error> {{
                match name {{ {arms} _ => skip(object), }}
            }}
        }}\n",
        message.name(),
    )
}

/// Returns the match arm that reads a field by its JSON name or its name in the proto file.
fn read_arm(field: &FieldDescriptor) -> String {
    let (json_name, proto_name) = (field.json_name(), field.name());
    let names = if json_name == proto_name {
        format!("{json_name:?}")
    } else {
        format!("{json_name:?} | {proto_name:?}")
    };
    match oneof(field) {
        Some((place, variant)) => {
            format!("{names} => read_variant(&mut self.{place}, {variant}, object),\n")
        }
        None => format!("{names} => self.{}.read_from(object),\n", proto_name.to_snake_case()),
    }
}

fn writer(message: &MessageDescriptor) -> String {
    let mut fields: Vec<_> = message.fields().collect();
    fields.sort_by(|a, b| a.json_name().cmp(b.json_name()));
    let statements: String = fields.iter().map(write_statement).collect();
    format!(
        "impl FastWrite for proto::{} {{
            fn write_fields<O: SerializeMap>(&self, object: &mut O) -> Result<(), O::Error> {{
                {statements} Ok(())
            }}
        }}\n",
        message.name(),
    )
}

/// Returns the statement that writes a field under its JSON name.
fn write_statement(field: &FieldDescriptor) -> String {
    let name = field.json_name();
    match oneof(field) {
        Some((place, variant)) => format!(
            "if let Some({variant}(message)) = &self.{place} {{
                write_message({name:?}, message, object)?;
            }}\n"
        ),
        None => format!("self.{}.write_to({name:?}, object)?;\n", field.name().to_snake_case()),
    }
}

/// Returns the struct field and the enum variant that prost generates for a oneof member, or `None`
/// for any other field.
fn oneof(field: &FieldDescriptor) -> Option<(String, String)> {
    let oneof = field.containing_oneof().filter(|oneof| !oneof.is_synthetic())?;
    let module = field.parent_message().name().to_snake_case();
    let (kind, variant) = (oneof.name().to_upper_camel_case(), field.name().to_upper_camel_case());
    Some((oneof.name().to_snake_case(), format!("proto::{module}::{kind}::{variant}")))
}
