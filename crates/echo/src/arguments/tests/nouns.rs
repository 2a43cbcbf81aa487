//! Tests of names, nouns and clauses that are values although no word of a property leads to them.

use serde_json::json;

use super::left_over::check;

#[test]
fn the_subject_of_a_sentence_is_a_name() {
    let schema = json!({"required": ["guest_name"], "properties": {
        "guest_name": {"type": "string"}, "host": {"type": "string"}}});
    let guest = |name: &str| json!({"guest_name": name});
    check(
        "seat_guest",
        &schema,
        &[
            ("Ada is waiting, please seat her", guest("Ada")),
            ("Ada Byron would like to be seated", guest("Ada Byron")),
            ("Customer Ada Byron wants a seat", guest("Ada Byron")),
            ("Nobody was seated", guest("Test seat guest guest name")),
            ("Seat Ada now, not later", guest("Ada")),
            ("Take the booking from Ada Byron", guest("Ada Byron")),
        ],
    );
}

#[test]
fn the_only_text_left_takes_a_noun() {
    let schema = json!({"required": ["product"], "properties": {"product": {"type": "string"}}});
    let product = |name: &str| json!({"product": name});
    check(
        "order_stock",
        &schema,
        &[
            ("Order 250 g flour for the bakery", product("flour")),
            ("Order 40 g of dried yeast", product("dried yeast")),
            ("Order poppy seeds 75 g", product("poppy seeds")),
            ("Order the product saffron today", product("saffron")),
            ("Do we have enough rye flour in stock?", product("rye flour")),
            ("Order it", product("Test order stock product")),
        ],
    );
}

#[test]
fn the_only_text_left_takes_a_clause_behind_a_comma_or_a_quotation() {
    let schema = json!({"required": ["lift", "problem"], "properties": {
        "lift": {"type": "string", "description": "Code of the lift"},
        "problem": {"type": "string"}}});
    let fault = |problem: &str| json!({"lift": "L-4", "problem": problem});
    check(
        "report_fault",
        &schema,
        &[
            ("Report a fault of lift L-4, the cabin is stuck.", fault("the cabin is stuck")),
            ("Report a fault of lift L-4: doors open at 3 floors", fault("doors open at 3 floors")),
            ("Report a fault of lift L-4, 'no light', not 'no sound'", fault("no light")),
        ],
    );
}
