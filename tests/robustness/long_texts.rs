//! Tests that the work on a long text is linear, whatever the text repeats.

use serde_json::{Value, json};

use super::{serving_threads::processor_time, survives};
use crate::{
    echo::sentences,
    support::{
        Sidecar,
        messages::{prompt, tool},
    },
};

/// The size of the texts in bytes.
const SIZE: usize = 64 * 1024;
/// The maximum processor time for an answer in clock ticks of 10 ms. Quadratic work would take
/// several minutes in a debug build.
const MAX_TICKS: u64 = 1_500;

/// Parts of values, and whole values, that a text can repeat.
const UNITS: [&str; 32] = [
    "1 ",
    "0",
    "$",
    "$1 ",
    "1,",
    "20% ",
    "2025-01-01 ",
    "1 May ",
    "12:00 ",
    "7pm ",
    "+1 555 ",
    "1+",
    "(1+",
    "A-1 ",
    "Aa ",
    "Aa, ",
    "AB ",
    "EUR ",
    "French ",
    "from Aa to ",
    "from ",
    "to the ",
    "in ",
    "not ",
    "\"",
    "\"a\" ",
    "'a ",
    "a@b.co ",
    "@",
    "http://a.b/",
    "order ",
    "京",
];

#[tokio::test]
async fn finds_values_in_long_texts_in_linear_time() {
    let schema = json!({"type": "object", "properties": sentences::all_properties()});
    finds_values_in_linear_time(&schema).await;
}

#[tokio::test]
async fn finds_numbers_for_optional_bounds_in_linear_time() {
    let number = json!({"type": "number"});
    let properties = json!({"amount": number, "min_amount": number, "max_amount": number});
    let schema = json!({"type": "object", "required": ["amount"], "properties": properties});
    finds_values_in_linear_time(&schema).await;
}

async fn finds_values_in_linear_time(schema: &Value) {
    let sidecar = Sidecar::start();
    for unit in UNITS {
        let text = format!("Order: {} call everything", unit.repeat(SIZE / unit.len()));
        let tools = [tool("everything", schema.clone())];
        let before = processor_time(&sidecar);
        let answer = survives(&sidecar, sidecar.converse(prompt(&text, tools))).await.unwrap();
        let ticks = processor_time(&sidecar) - before;
        assert!(ticks < MAX_TICKS, "{unit:?}: {ticks} ticks");
        assert!(answer.called_tools().is_empty() || answer.calls[0].arguments.is_object());
    }
}

#[tokio::test]
async fn matches_two_thousand_tools_with_long_texts_in_linear_time() {
    let sidecar = Sidecar::start();
    let names = (0..2_000).map(|number| format!("get_order_item_{number}_a_b"));
    let tools: Vec<_> = names.map(|name| tool(&name, Value::Null)).collect();
    for unit in
        ["get order item ", "order ", "item 7 ", "a b ", "not order item. ", "get_order_item_1_a_"]
    {
        let text = unit.repeat(SIZE / unit.len());
        let before = processor_time(&sidecar);
        survives(&sidecar, sidecar.converse(prompt(&text, tools.clone()))).await.unwrap();
        let ticks = processor_time(&sidecar) - before;
        assert!(ticks < MAX_TICKS, "{unit:?}: {ticks} ticks");
    }
}
