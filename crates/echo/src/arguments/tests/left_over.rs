//! Tests of what a call has of the properties that nobody stated, and of the facts that no word leads to.

use serde_json::{Value, json};

use super::{super::Context, generate};
use crate::settings::Optional;

#[test]
fn a_list_of_what_is_required_leaves_out_the_rest() {
    let schema = json!({"required": ["city"], "properties": {
        "city": {"type": "string"}, "max_price": {"type": "number"},
        "guests": {"type": "integer", "default": 2},
        "near": {"properties": {"lat": {"type": "number"}}}}});
    let json = |optional, mention| {
        let context =
            Context { optional, mention, question: mention, subject: "f", ..Context::default() };
        generate(&schema, &context).json
    };
    let (nothing, stated) = ("Go on", "Go to Rome for a max price of 90");
    let fill = json(Optional::Fill, nothing);
    assert_eq!(fill, r#"{"city":"San Francisco","guests":2,"max_price":42,"near":{"lat":42}}"#);
    assert_eq!(json(Optional::BySchema, nothing), r#"{"city":"San Francisco"}"#);
    assert_eq!(json(Optional::Omit, nothing), r#"{"city":"San Francisco"}"#);
    assert_eq!(json(Optional::BySchema, stated), r#"{"city":"Rome","max_price":90}"#);
}

#[test]
fn a_default_of_null_leaves_a_property_out_or_makes_it_null() {
    let mut schema = json!({"properties": {
        "color": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null},
        "size": {"type": "string", "default": null}}});
    let json = |schema: &Value, mention: &str| {
        let context = Context { mention, question: mention, ..Context::default() };
        generate(schema, &context).json
    };
    assert_eq!(json(&schema, "List them"), "{}");
    assert_eq!(json(&schema, "List them in the color 'red'"), r#"{"color":"red"}"#);
    schema["required"] = json!(["color", "size"]);
    assert_eq!(json(&schema, "List them"), r#"{"color":null,"size":"Test size"}"#);
}

#[test]
fn required_properties_take_numbers_first_in_their_order() {
    let schema = json!({"required": ["zeta", "alpha"], "properties": {
        "alpha": {"type": "integer"}, "beta": {"type": "integer"}, "zeta": {"type": "integer"}}});
    let mention = "Use 5 then 9";
    let context = Context { mention, question: mention, ..Context::default() };
    assert_eq!(generate(&schema, &context).json, r#"{"alpha":9,"zeta":5}"#);
}

#[test]
fn a_place_has_its_region_if_the_schema_shows_it() {
    let city = |description: &str, mention: &str| {
        let schema = json!({"properties": {
            "city": {"type": "string", "description": description}}});
        let context = Context { mention, question: mention, ..Context::default() };
        let json: Value = serde_json::from_str(&generate(&schema, &context).json).unwrap();
        json["city"].as_str().unwrap().to_owned()
    };
    let shown = "The city, e.g. San Francisco, CA";
    for (place, description) in [
        ("Santa Rosa, CA", shown),
        ("Chennai, Tamil Nadu", "City, State"),
        ("Boston, MA", "The city and state"),
    ] {
        assert_eq!(city(description, &format!("What is it like in {place}?")), place);
    }
    assert_eq!(city("The city", "What is it like in Santa Rosa, CA?"), "Santa Rosa");
    assert_eq!(city(shown, "What is it like in Paris, Rome and Berlin?"), "Paris");
}

#[test]
fn lists_of_numbers_take_all_numbers() {
    let schema = json!({"properties": {
        "numbers": {"type": "array", "items": {"type": "number"}}}});
    for mention in ["sort [1, 54, 3]", "sort [1,54,3]", "sort 1, 54 and 3", "sort (1, 54, 3) now"] {
        let context = Context { mention, question: mention, ..Context::default() };
        assert_eq!(generate(&schema, &context).json, r#"{"numbers":[1,54,3]}"#, "{mention}");
    }
}

#[test]
fn the_only_string_left_takes_the_only_name_or_quote_left() {
    let schema = json!({"required": ["company_name"], "properties": {
        "company_name": {"type": "string"}, "year": {"type": "integer"}}});
    let json = |mention| {
        let context = Context { mention, question: mention, ..Context::default() };
        generate(&schema, &context).json
    };
    assert_eq!(json("List the lawsuits against Google"), r#"{"company_name":"Google"}"#);
    assert_eq!(json("List those against 'B & B' in Rome"), r#"{"company_name":"B & B"}"#);
    assert_eq!(json("Compare Google with Apple"), r#"{"company_name":"Google"}"#);
}

/// Checks the arguments that each message gives to a tool.
#[track_caller]
pub(super) fn check(subject: &str, schema: &Value, table: &[(&str, Value)]) {
    for (mention, expected) in table {
        let context = Context { subject, mention, question: mention, ..Context::default() };
        assert_eq!(generate(schema, &context).json, expected.to_string(), "{mention}");
    }
}

#[test]
fn lists_of_texts_take_lists_of_words() {
    let schema = json!({"required": ["parts"], "properties": {
        "parts": {"type": "array", "items": {"type": "string"}}, "days": {"type": "integer"}}});
    let list = |items: &[&str]| json!({"parts": items});
    check(
        "order_parts",
        &schema,
        &[
            (
                "Order brake pads, spark plugs and an air filter for Tom",
                list(&["brake pads", "spark plugs", "air filter"]),
            ),
            ("Order a mirror", list(&["mirror"])),
            ("Order with the parts oil filter and fuses, please", list(&["oil filter", "fuses"])),
            (
                "Order these parts: fuses, two wipers and bolts, thanks",
                list(&["fuses", "two wipers", "bolts"]),
            ),
            ("Order for the Golf: fuses", list(&["fuses"])),
            ("Order fuses and call me", list(&["fuses"])),
            ("Order fuses for 3 days", json!({"days": 3, "parts": ["fuses"]})),
            ("Order for Tom with fuses and bolts", list(&["fuses", "bolts"])),
            ("Order for Tom with pickup", list(&["Test order parts parts"])),
            ("Order parts for 3 days", json!({"days": 3, "parts": ["Test order parts parts"]})),
        ],
    );
}

#[test]
fn the_only_text_left_takes_words_behind_with_or_a_colon() {
    let schema = json!({"required": ["damage"], "properties": {"damage": {"type": "string"}}});
    let damage = |text: &str| json!({"damage": text});
    check(
        "report_damage",
        &schema,
        &[
            ("Report damage: flat tire", damage("flat tire")),
            ("The damage is a broken mirror, report it", damage("broken mirror")),
            ("Report a car with a cracked windshield", damage("cracked windshield")),
            (
                "Report damage to the car: a scratched door and a dent",
                damage("scratched door and a dent"),
            ),
            ("Report damage: the door is jammed. Thanks", damage("the door is jammed")),
            ("Report damage: I will send it", damage("Test report damage damage")),
        ],
    );
}

#[test]
fn an_optional_number_is_counted_for_the_tool_or_for_people() {
    let schema = json!({"required": [], "properties": {
        "guests": {"type": "integer"}, "level": {"type": "integer"}}});
    check(
        "book_rooms",
        &schema,
        &[
            ("Book it, one of us is vegan", json!({})),
            ("Book it for my two kids", json!({"guests": 2})),
        ],
    );
}

#[test]
fn an_article_is_a_required_number() {
    let schema = json!({"required": ["beds"], "properties": {"beds": {"type": "integer"}}});
    check(
        "reserve",
        &schema,
        &[
            ("Reserve a bed", json!({"beds": 1})),
            ("Reserve a couple of beds", json!({"beds": 2})),
            ("Reserve the bed", json!({"beds": 42})),
        ],
    );
}
