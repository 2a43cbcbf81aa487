mod bodies;
mod fast_path;

use std::collections::BTreeMap;

use proptest::{collection::vec, option, prelude::*};
use prost::Message;
use prost_types::{Any, Duration, Struct, Value as ProtoValue, value::Kind};

use crate::wire::{
    json::{read, write},
    proto::{
        ConversationInputAlpha2, ConversationMessage, ConversationMessageContent,
        ConversationMessageOfTool, ConversationMessageOfUser, ConversationRequestAlpha2,
        conversation_message::MessageTypes,
    },
};

fn message() -> impl Strategy<Value = ConversationMessage> {
    let content = vec(".{0,8}".prop_map(|text| ConversationMessageContent { text }), 0..3);
    (option::of(".{0,4}"), ".{0,4}", content, any::<bool>()).prop_map(
        |(id, name, content, is_user)| {
            let kind = if is_user {
                MessageTypes::OfUser(ConversationMessageOfUser { name: id, content })
            } else {
                MessageTypes::OfTool(ConversationMessageOfTool { tool_id: id, name, content })
            };
            ConversationMessage { message_types: Some(kind) }
        },
    )
}

fn structs() -> impl Strategy<Value = Struct> {
    let leaf = prop_oneof![
        Just(Kind::NullValue(0)),
        any::<bool>().prop_map(Kind::BoolValue),
        (-1e15..1e15).prop_map(Kind::NumberValue),
        any::<i32>().prop_map(|whole| Kind::NumberValue(whole.into())),
        ".{0,6}".prop_map(Kind::StringValue),
    ];
    let value = leaf.prop_recursive(3, 16, 4, |inner| {
        let members = proptest::collection::btree_map(".{0,3}", inner, 0..4);
        members.prop_map(|members| Kind::StructValue(as_struct(members)))
    });
    proptest::collection::btree_map(".{0,3}", value, 0..4).prop_map(as_struct)
}

fn as_struct(members: BTreeMap<String, Kind>) -> Struct {
    let value = |kind| ProtoValue { kind: Some(kind) };
    Struct { fields: members.into_iter().map(|(name, kind)| (name, value(kind))).collect() }
}

/// Returns a string parameter. Strings are the only type whose values can all be written.
fn parameter(text: &String) -> Any {
    Any {
        type_url: "type.googleapis.com/google.protobuf.StringValue".to_owned(),
        value: text.encode_to_vec(),
    }
}

fn requests() -> impl Strategy<Value = ConversationRequestAlpha2> {
    let inputs = vec((vec(message(), 0..3), option::of(any::<bool>())), 0..3);
    let texts = proptest::collection::btree_map(".{0,4}", ".{0,6}", 0..3);
    let scalars = (option::of(".{0,4}"), option::of(-9.0..9.0), option::of(any::<i64>()));
    (inputs, texts, scalars, option::of(structs()), option::of(0..100_000_i64)).prop_map(
        |(inputs, texts, (context_id, temperature, max_tokens), format, seconds)| {
            let inputs = inputs.into_iter();
            ConversationRequestAlpha2 {
                context_id,
                temperature,
                max_tokens,
                inputs: inputs
                    .map(|(messages, scrub_pii)| ConversationInputAlpha2 { messages, scrub_pii })
                    .collect(),
                parameters: texts.iter().map(|(k, v)| (k.clone(), parameter(v))).collect(),
                metadata: texts,
                response_format: format.map(|format| format.encode_to_vec().into()),
                prompt_cache_retention: seconds.map(|seconds| Duration { seconds, nanos: 0 }),
                ..Default::default()
            }
        },
    )
}

proptest! {
    #[test]
    fn reads_back_what_it_writes(request in requests()) {
        let json = write(&request).unwrap();
        let back: ConversationRequestAlpha2 = read(json.as_bytes()).unwrap();
        prop_assert_eq!(&back, &request);
        prop_assert_eq!(write(&back).unwrap(), json);
    }

    #[test]
    fn reads_any_bytes_without_panic(bytes in vec(any::<u8>(), 0..60)) {
        let _ = read::<ConversationRequestAlpha2>(&bytes);
    }
}
