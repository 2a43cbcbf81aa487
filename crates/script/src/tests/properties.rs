//! Properties that hold for all chains and histories.

use mynah_core::chat::{Message, Role};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{
    assistant_call, assistant_text, chain_message, request,
    schema::{COMPILED, parse},
};
use crate::{Chain, OnMalformed, chains::find_active_chain, steps::compact, tags};

/// Values, some of which are valid for a key in a chain.
fn value() -> impl Strategy<Value = Value> {
    let words = ["", "hi", "50ms", "fast", "stop", "ABORTED", "-1s", "1.5s", "outputs"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop::sample::select(vec![-1, 0, 1, 7, 100_000, 100_001]).prop_map(Value::from),
        prop::sample::select(words.to_vec()).prop_map(Value::from),
        Just(json!(1.5)),
    ];
    leaf.prop_recursive(5, 24, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            object(inner),
        ]
    })
}

/// Objects, some of whose keys are valid in a chain.
fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let keys = [
        "instruction_chain",
        "id",
        "reasoning",
        "length",
        "messages",
        "respond",
        "text",
        "text_message",
        "json",
        "tool_call",
        "name",
        "args",
        "tools_list",
        "tool_schema",
        "error",
        "code",
        "message",
        "details",
        "reason",
        "metadata",
        "retry_after",
        "delay",
        "usage",
        "prompt_tokens",
        "words_per_chunk",
        "characters_per_chunk",
        "finish_reason",
        "raw_args",
        "times",
        "empty",
        "cut_after",
        "x",
    ];
    prop::collection::btree_map(prop::sample::select(keys.to_vec()), inner, 0..3).prop_map(|map| {
        let members = map.into_iter().map(|(key, value)| (key.to_owned(), value));
        Value::Object(members.collect::<Map<_, _>>())
    })
}

/// Objects, most of which are valid chains.
fn almost_chain() -> impl Strategy<Value = Value> {
    let length = prop_oneof![3 => Just(json!({"length": 3})), 1 => value()];
    let error = prop_oneof![3 => Just(json!({"code": "ABORTED"})), 1 => object(value())];
    let call = prop_oneof![3 => Just(json!({"name": "f", "args": {}})), 1 => object(value())];
    let calls = prop::collection::vec(call, 0..3).prop_map(Value::from);
    let item = prop_oneof![
        Just(json!({"text": "hi"})),
        length.clone().prop_map(|length| json!({"text_message": length})),
        calls.prop_map(|calls| json!({"tool_call": calls})),
        error.clone().prop_map(|error| json!({"error": error})),
        value().prop_map(|value| json!({"json": value})),
        value().prop_map(|value| json!({"tool_schema": value})),
        object(value()),
    ];
    let items = prop::collection::vec(item, 0..3).prop_map(Value::from);
    let items_or_text = prop_oneof![items.clone(), value()];
    let step = prop_oneof![
        items.clone().prop_map(|items| json!({"messages": items})),
        (items, length, error).prop_map(|(items, length, error)| {
            json!({"messages": items, "reasoning": length, "error": error})
        }),
        items_or_text.prop_map(|items| json!({"respond": items})),
        value().prop_map(|value| json!({"delay": value})),
        object(value()),
    ];
    prop_oneof![
        step.clone(),
        prop::collection::vec(step, 0..3).prop_map(|steps| json!({"instruction_chain": steps})),
    ]
}

/// Messages of all roles.
fn message() -> impl Strategy<Value = Message> {
    let chain = json!({"instruction_chain": [{"reasoning": {"length": 1}}]}).to_string();
    prop_oneof![
        Just(Message::new(Role::User, "plain")),
        Just(chain_message(&chain)),
        Just(chain_message("not JSON")),
        Just(assistant_text("text")),
        Just(assistant_call()),
        Just(Message::new(Role::Tool { id: None, name: "f".into() }, "result")),
        Just(Message { role: Role::System, ..chain_message(&chain) }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn schema_and_parser_agree(document in almost_chain()) {
        let text = document.to_string();
        let parsed = parse(&text);
        // A schema cannot express that an item is the last one.
        let follows_error = parsed.as_ref().is_err_and(|error| error.contains("follows an error"));
        prop_assume!(!follows_error);
        prop_assert_eq!(COMPILED.is_valid(&document), parsed.is_ok(), "{} {:?}", text, parsed);
    }

    #[test]
    fn parsing_is_deterministic(pieces in prop::collection::vec(prop_oneof![
        Just(tags::START.to_owned()), Just(tags::END.to_owned()),
        almost_chain().prop_map(|chain| chain.to_string()), "\\PC{0,8}",
    ], 0..8)) {
        let text = pieces.concat();
        prop_assert_eq!(Chain::in_text(&text), Chain::in_text(&text));
    }

    #[test]
    fn compact_preserves_the_value(value in value()) {
        let pretty = serde_json::value::RawValue::from_string(format!("{value:#}")).unwrap();
        prop_assert_eq!(compact(&pretty), value.to_string());
    }

    #[test]
    fn step_is_the_number_of_turns_since_the_latest_chain(
        history in prop::collection::vec(message(), 0..12),
    ) {
        let found = find_active_chain(&history, None, OnMalformed::Fallback).unwrap();
        let has_chain = |message: &Message| {
            matches!(message.role, Role::User) && message.text().contains("instruction_chain")
        };
        let latest = history.iter().rposition(has_chain);
        prop_assert_eq!(found.as_ref().map(|found| found.message - 1), latest);
        if let (Some(found), Some(latest)) = (found, latest) {
            let after = &history[latest + 1..];
            let is_assistant = |message: &Message| matches!(message.role, Role::Assistant { .. });
            let assistants = after.iter().filter(|message| is_assistant(message)).count();
            let joined = after.windows(2).filter(|pair| {
                is_assistant(&pair[0]) && pair[1] == assistant_call()
            });
            prop_assert_eq!(found.turns.seen, assistants - joined.count());
        }
    }
}

/// Each text is read only once and no function is recursive, so hostile texts are neither slow nor
/// overflow the stack.
#[test]
fn handles_hostile_texts() {
    const SIZE: usize = 1 << 20;
    let nested = tags::START.repeat(SIZE / 40) + &tags::END.repeat(SIZE / 40);
    let broken = format!("{}x{}", tags::START, tags::END).repeat(SIZE / 40);
    let deep = format!(
        r#"{}{{"messages":[{{"json":{}1{}}}]}}{}"#,
        tags::START,
        "[".repeat(SIZE),
        "]".repeat(SIZE),
        tags::END
    );
    let open = tags::START.repeat(SIZE / 20);
    let torn = format!("{}{}{}", tags::START, "[".repeat(SIZE), tags::END);
    for text in [&nested, &broken, &open, &torn] {
        assert!(Chain::in_text(text).is_none());
        assert!(
            find_active_chain(
                &request(vec![Message::new(Role::User, text.as_str())]).messages,
                None,
                OnMalformed::Fallback,
            )
            .unwrap()
            .is_none()
        );
    }
    assert_eq!(Chain::in_text(&deep).unwrap().unwrap().turns(), 1);
}
