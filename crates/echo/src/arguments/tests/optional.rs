//! Tests of values for properties that need not be there.

use serde_json::json;

use super::{super::Context, generate, left_over::check, several};

#[test]
fn a_site_takes_a_place() {
    let properties = json!({"part": {"type": "string"}, "depot": {"type": "string"}});
    let schema = json!({"required": ["part"], "properties": properties});
    check(
        "count_parts",
        &schema,
        &[
            ("Count part P-7 in Turin", json!({"part": "P-7", "depot": "Turin"})),
            ("Count part P-7 for Ada", json!({"part": "P-7"})),
        ],
    );
    let depot = |depot: &str| json!({"part": "P-7", "depot": depot});
    let expected = [depot("Turin"), depot("Oslo")];
    let expected = expected.map(|it| json!({"depot": it["depot"], "part": it["part"]}));
    several::check(&properties, &["part"], "Measure part P-7 in Turin and Oslo", &expected);
}

#[test]
fn the_only_list_takes_things_behind_with() {
    let schema = json!({"required": ["model"], "properties": {
        "model": {"enum": ["city", "cargo"]}, "insurance": {"type": "boolean"},
        "extras": {"type": "array", "items": {"type": "string"}}}});
    check(
        "order_bike",
        &schema,
        &[
            (
                "Order a city bike with a bell and a lamp",
                json!({"model": "city", "extras": ["bell", "lamp"]}),
            ),
            (
                "Order a city bike with insurance and a bell",
                json!({"model": "city", "insurance": true}),
            ),
            ("Order a city bike with pleasure and care", json!({"model": "city"})),
        ],
    );
}

#[test]
fn a_number_of_things_is_no_price() {
    let schema = json!({"required": ["name"], "properties": {
        "name": {"type": "string"}, "entry_price": {"type": "number"},
        "max_teams": {"type": "integer"}, "limit": {"type": "integer"}}});
    check(
        "list_quizzes",
        &schema,
        &[
            ("List the quiz 'Pub' with at most 12 teams", json!({"name": "Pub", "max_teams": 12})),
            ("List the quiz 'Pub', under 8", json!({"name": "Pub", "entry_price": 8})),
            ("List the quiz 'Pub', 3 quizzes", json!({"name": "Pub", "limit": 3})),
        ],
    );
}

#[test]
fn a_bound_is_said_by_its_word() {
    let schema = json!({"required": ["bid"], "properties": {
        "bid": {"type": "number"}, "lowest_bid": {"type": "number"}}});
    check(
        "place_bid",
        &schema,
        &[
            ("Place a bid of 4500", json!({"bid": 4500})),
            ("Place a bid of 4500, lowest bid 4000", json!({"bid": 4500, "lowest_bid": 4000})),
            ("Place a bid of 4500, at least 4000", json!({"bid": 4500, "lowest_bid": 4000})),
        ],
    );
}

#[test]
fn words_of_a_boolean_may_be_apart() {
    let schema = json!({"required": ["plugin"], "properties": {
        "plugin": {"type": "string"}, "set_as_standard": {"type": "boolean"},
        "inform_staff": {"type": "boolean"}}});
    let plugin = |standard: bool| json!({"plugin": "PL-2", "set_as_standard": standard});
    check(
        "install_plugin",
        &schema,
        &[
            ("Install plugin PL-2 and set it as the standard", plugin(true)),
            ("Install plugin PL-2, but do not set it as standard", plugin(false)),
            (
                "Install plugin PL-2, informing the staff",
                json!({"plugin": "PL-2", "inform_staff": true}),
            ),
        ],
    );
}

#[test]
fn values_of_other_kinds_are_left_out() {
    let schema = json!({"required": ["title"], "properties": {
        "title": {"type": "string"},
        "max_power": {"type": "integer"}, "target_percent": {"type": "number"}}});
    check(
        "open_task",
        &schema,
        &[
            ("Open the task 'A'", json!({"title": "A"})),
            ("Open the task 'A' up to 90%", json!({"title": "A", "target_percent": 90})),
        ],
    );
    let schema =
        json!({"required": ["description"], "properties": {"description": {"type": "string"}}});
    let told = json!({"description": "The vase was dead on arrival"});
    check("file_complaint", &schema, &[("The vase was dead on arrival, Ada Byron", told)]);
}

#[test]
fn words_of_the_tool_and_its_properties_are_no_rooms() {
    let schema = json!({"required": ["tool_name", "job"], "properties": {
        "tool_name": {"type": "string"}, "job": {"type": "string"}, "room": {"type": "string"}}});
    check(
        "store_in_inventory",
        &schema,
        &[
            ("Store 'Saw' to job J-7", json!({"tool_name": "Saw", "job": "J-7"})),
            ("Store 'Saw' of job J-7 in the inventory", json!({"tool_name": "Saw", "job": "J-7"})),
            (
                "Store 'Saw' in the shed for job J-7",
                json!({"tool_name": "Saw", "job": "J-7", "room": "shed"}),
            ),
        ],
    );
}

#[test]
fn what_must_be_there_comes_before_what_need_not() {
    let schema = json!({"required": ["prop_name", "quantity"], "properties": {
        "prop_name": {"type": "string"}, "quantity": {"type": "integer"},
        "budget": {"type": "number"}}});
    let lamps = json!({"prop_name": "oil lamps", "quantity": 6});
    check("add_prop", &schema, &[("Add 6 oil lamps to the props", lamps)]);
    let schema = json!({"required": ["production", "date"], "properties": {
        "production": {"type": "string"}, "date": {"type": "string", "format": "date"},
        "location": {"type": "string"}}});
    let rehearsal = json!({"production": "Blithe Spirit", "date": "2025-09-03"});
    let at_hall =
        json!({"production": "Blithe Spirit", "date": "2025-09-03", "location": "Nord Hall"});
    check(
        "schedule_rehearsal",
        &schema,
        &[
            ("Schedule a rehearsal for Blithe Spirit on 2025-09-03", rehearsal),
            ("Schedule a rehearsal for Blithe Spirit on 2025-09-03 at Nord Hall", at_hall),
        ],
    );
}

#[test]
fn negations_within_a_statement_count() {
    let schema = json!({"required": ["queen_seen", "marked"], "properties": {
        "queen_seen": {"type": "boolean"}, "marked": {"type": "boolean"}}});
    let seen = |queen_seen: bool, marked: bool| json!({"queen_seen": queen_seen, "marked": marked});
    check(
        "log_inspection",
        &schema,
        &[
            ("Log that the queen was not seen, she is marked", seen(false, true)),
            ("Log that the queen was seen. She should not be marked", seen(true, false)),
        ],
    );
}

#[test]
fn amounts_keep_their_units() {
    let schema = json!({"required": ["meter", "hourly_rate"], "properties": {
        "meter": {"type": "string"}, "hourly_rate": {"type": "number"},
        "max_stay_minutes": {"type": "integer"}}});
    let rate = json!({"meter": "M-5", "hourly_rate": 3});
    check("set_meter", &schema, &[("Set meter M-5 to $3", rate)]);
}

#[test]
fn a_place_has_the_number_of_its_house() {
    let schema = json!({"required": ["plate", "location"], "properties": {
        "plate": {"type": "string"}, "location": {"type": "string"}}});
    let tow = json!({"plate": "EG-55", "location": "14 Canal Street"});
    check("tow_car", &schema, &[("Tow the car with plate EG-55 from 14 Canal Street", tow)]);
    let schema = json!({"required": ["breeder", "phone"], "properties": {
        "breeder": {"type": "string"}, "phone": {"type": "string"}}});
    let bees = json!({"breeder": "Rossi", "phone": "+44 20 7946 0311"});
    let order = "Order bees from Rossi. Call back on +44 20 7946 0311";
    check("order_bees", &schema, &[(order, bees)]);
}

#[test]
fn an_article_is_no_value() {
    let schema = json!({"required": ["boat_name", "arrival_date"], "properties": {
        "boat_name": {"type": "string"}, "arrival_date": {"type": "string", "format": "date"},
        "pontoon": {"type": "string", "enum": ["A", "B"]}}});
    let berth = json!({"boat_name": "Sea Breeze", "arrival_date": "2025-09-01"});
    let on_pontoon =
        json!({"boat_name": "Sea Breeze", "arrival_date": "2025-09-01", "pontoon": "A"});
    check(
        "reserve_berth",
        &schema,
        &[
            ("Reserve a berth for the boat Sea Breeze from 2025-09-01", berth),
            ("Reserve a berth on pontoon A for the boat Sea Breeze from 2025-09-01", on_pontoon),
        ],
    );
}

#[test]
fn a_sentence_about_another_tool_states_nothing_optional() {
    let schema = json!({"required": ["language"], "properties": {
        "language": {"type": "string"}, "from_date": {"type": "string", "format": "date"}}});
    let mention = "Find a Danish film. List the free halls from 2026-03-01";
    let json = |is_shared| {
        let (sentence, reach) = (0..19, if is_shared { 0..20 } else { 0..mention.len() });
        let nearest = [sentence.clone(), sentence];
        let (subject, question) = ("find_film", mention);
        let context =
            Context { subject, mention, question, nearest, reach, is_shared, ..Context::default() };
        generate(&schema, &context).json
    };
    assert_eq!(json(true), r#"{"language":"Danish"}"#);
    assert_eq!(json(false), r#"{"from_date":"2026-03-01","language":"Danish"}"#);
}
