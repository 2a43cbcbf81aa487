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
            ("Nobody was seated", guest("Test User")),
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
            ("Report a fault of lift L-4 (no light in the cabin)", fault("no light")),
            ("Report a fault of lift L-4 because it squeaks", fault("it squeaks")),
        ],
    );
}

#[test]
fn a_code_is_the_value_of_a_name_beside_its_word() {
    let schema = json!({"required": ["crew_name", "name"], "properties": {
        "crew_name": {"type": "string"}, "name": {"type": "string"}}});
    check(
        "enlist_sailor",
        &schema,
        &[
            ("Enlist Tom O'Hara in crew 5C.", json!({"crew_name": "5C", "name": "Tom O'Hara"})),
            ("Enlist Ada in crew K-9", json!({"crew_name": "K-9", "name": "Ada"})),
        ],
    );
}

#[test]
fn clauses_tell_messages_and_reasons() {
    let schema = json!({"required": ["text"], "properties": {
        "text": {"type": "string"}, "reason": {"type": "string"}}});
    check(
        "warn_crew",
        &schema,
        &[
            ("Warn the crew that fog is near.", json!({"text": "fog is near"})),
            ("Send a text that says hello.", json!({"text": "Send a text that says hello."})),
            (
                "Tell the crew that we wait because of the fog, please",
                json!({"text": "we wait because of the fog, please", "reason": "the fog"}),
            ),
        ],
    );
}

#[test]
fn an_article_before_a_word_of_the_tool_is_a_count() {
    let schema = json!({"required": ["quantity"], "properties": {
        "quantity": {"type": "integer"}, "deck": {"type": "integer"}}});
    check(
        "rent_cabins",
        &schema,
        &[
            ("Rent me a cabin", json!({"quantity": 1})),
            ("Rent two quiet cabins", json!({"quantity": 2})),
        ],
    );
}

#[test]
fn a_place_may_be_near_without_its_cue() {
    let schema = json!({"required": ["place"], "properties": {"place": {"type": "string"}}});
    check(
        "find_harbors",
        &schema,
        &[
            ("Find harbors within 5 miles of Bergen that have fuel", json!({"place": "Bergen"})),
            ("Find harbors from Pier 7 on", json!({"place": "Pier 7"})),
            ("Find harbors, I want to sail", json!({"place": "San Francisco"})),
        ],
    );
}
