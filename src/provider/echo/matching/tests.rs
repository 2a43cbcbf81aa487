//! The module as a whole: the rules beside each other, histories, hostile input.
//! What a user would ask for stands in the table of `tests/mentions.rs`.

use proptest::prelude::*;

use super::{Mention, SHORT, budget::Budget, mentions, mentions_within};
use crate::chat::{Message, Role, Tool, ToolCall};

fn tools(names: &[&str]) -> Vec<Tool> {
    let tool = |name: &&str| Tool { name: (*name).to_owned(), description: None, parameters: None };
    names.iter().map(tool).collect()
}

fn called(text: &str, names: &[&str]) -> Vec<usize> {
    mentions(&[Message::new(Role::User, text)], &tools(names)).iter().map(|m| m.tool).collect()
}

/// The comparisons that a search takes.
fn work(text: &str, names: &[&str]) -> usize {
    let mut budget = Budget::of_one_call();
    let all = budget.left();
    mentions_within(&mut budget, &[Message::new(Role::User, text)], &tools(names));
    all - budget.left()
}

#[test]
fn the_first_rule_that_holds_gives_the_match() {
    // get_user matches by name, so only "get user": no part of "create … user".
    assert_eq!(called("Create a user and get user 5", &["get_user", "create_user"]), [0, 1]);
    // Both match by phrase, and get_time has fewer of the same words.
    assert_eq!(called("get the date, time", &["get_time", "get_date_time"]), [1]);
}

#[test]
fn a_phrase_has_at_most_three_other_words_between_neighbours() {
    assert_eq!(called("get 1 2 3 info", &["get_info"]), [0]);
    assert!(called("get 1 2 3 4 info", &["get_info"]).is_empty());
    assert!(called("info get", &["get_info"]).is_empty());
    // The second "the" is within reach of "info", the first is not.
    assert_eq!(called("get the of the of my by info", &["get_the_info"]), [0]);
}

#[test]
fn long_names_are_found_only_as_they_are() {
    let sixteen = ["create"; 15].join("_") + "_user";
    let seventeen = ["create"; 16].join("_") + "_user";
    assert_eq!(called("create user", &[&sixteen, &seventeen]), [0]);
    assert_eq!(called(&format!("call {seventeen}!"), &[&seventeen]), [0]);
    assert_eq!(called(&seventeen.replace('_', ""), &[&seventeen]), [0]);
}

#[test]
fn a_name_without_words_is_never_mentioned() {
    assert!(called("_ __ - ", &["", "_", "-", "🦜"]).is_empty());
    assert_eq!(called("42 is the answer", &["42"]), [0]);
}

#[test]
fn the_latest_mention_counts() {
    let user = |text: &str| Message::new(Role::User, text);
    let assistant = Message::new(Role::Assistant { tool_calls: Vec::new() }, "hm");
    let messages = [user("get time"), user("get weather"), assistant, user("get time, now")];
    let found = mentions(&messages, &tools(&["get_weather", "get_time"]));
    assert_eq!(found, [Mention { tool: 0, message: 1 }, Mention { tool: 1, message: 3 }]);
}

#[test]
fn parts_of_a_message_are_sentences_of_their_own() {
    let mut message = Message::new(Role::User, "send");
    message.parts.push("email".to_owned());
    assert_eq!(mentions(&[message], &tools(&["send_invoice", "create_email"])), []);
}

#[test]
fn a_used_up_tool_still_hides_those_that_lie_in_it() {
    let call = ToolCall { id: None, name: "list_users".to_owned(), arguments: String::new() };
    let messages = [
        Message::new(Role::User, "list users"),
        Message::new(Role::Assistant { tool_calls: vec![call] }, ""),
        Message::new(Role::User, "thanks"),
    ];
    assert_eq!(mentions(&messages, &tools(&["get_user", "list_users"])), []);
}

/// Names whose tools are found by the words of [`prose`].
const KNOWN: [&str; 6] =
    ["get_user", "sendEmail", "weather", "get_time", "calculator", "query_database"];

/// Text of a few words, so that names are found in it.
fn prose() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "(get|user|users|send|email|Email|10|add|weather|を|ß|a@b.cd|www.x.y|HTTPStatus)",
        2 => "(queries|Database|clocK|CLOC\u{212a}|sql|rain|x://y.z/user|5\\+5|[a-cA-Ceisy]{1,6})",
        1 => "\\PC{0,6}",
    ];
    let gap = prop_oneof![4 => "[ _.+-]", 2 => "[.!?][ \\n\\r\u{3000}\u{2028}]|\n"];
    let pieces = proptest::collection::vec((word, gap), 0..40);
    pieces.prop_map(|pieces| pieces.into_iter().flat_map(|(word, gap)| [word, gap]).collect())
}

proptest! {
    #[test]
    fn never_panics_and_answers_in_order(text in prose(), names in proptest::collection::vec(prose(), 0..6)) {
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let found = called(&text, &names);
        prop_assert!(found.is_sorted_by(|one, next| one < next));
        prop_assert_eq!(found, called(&text, &names));
    }

    #[test]
    fn a_name_written_out_is_always_mentioned(name in "[A-Za-z0-9_-]{1,64}") {
        let has_words = name.contains(|c: char| c.is_ascii_alphanumeric());
        prop_assert_eq!(called(&format!("call {name}"), &[&name]).len(), usize::from(has_words));
    }
}

/// As much text without a word as makes the search pass over what mentions nothing.
fn filler() -> Message {
    Message::new(Role::User, "- ".repeat(SHORT))
}

proptest! {
    #[test]
    fn what_is_passed_over_mentions_nothing(
        texts in proptest::collection::vec(prose(), 1..3),
        names in proptest::collection::vec("[a-cA-Ceisy]{1,6}(_[a-cA-Ceisy]{1,6})?", 0..4),
        known in proptest::sample::subsequence(&KNOWN[..], 1..KNOWN.len()),
    ) {
        let names: Vec<_> = names.iter().map(String::as_str).chain(known).collect();
        let mut messages: Vec<_> = texts.iter().map(|text| Message::new(Role::User, text)).collect();
        let found = mentions(&messages, &tools(&names));
        messages.push(filler());
        prop_assert_eq!(mentions(&messages, &tools(&names)), found);
    }
}

#[test]
fn work_grows_with_the_text_and_not_faster() {
    let sentence = "Get weather and time for all users, then calculate 10+5 and send an email. ";
    let filler = "Nothing in this one is of any interest to a tool, or is it? ";
    // No tool is ever found: every sentence is searched.
    let unfound = ["get_weather_alert", "get_user_photo", "send_email_draft"];
    let one = work(&(sentence.to_owned() + filler), &unfound);
    assert_eq!(work(&(sentence.repeat(100) + filler), &unfound), 100 * one);
}

#[test]
fn tools_that_the_text_does_not_name_cost_nothing() {
    let names: Vec<_> = (0..1000).map(|at| format!("get_thing{at}x")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    assert!(work("Get thing500x and get thing501x", &names) < 100);
}

#[test]
fn hostile_requests_end() {
    let bits = |at: usize, zero: &str, one: &str| {
        format!("{at:012b}").replace('0', zero).replace('1', one)
    };
    // Four thousand names of the words user and mail.
    let names: Vec<_> = (0..4096).map(|at| bits(at, "user_", "mail-")).collect();
    // As many words of one stem.
    let stems: Vec<_> = (0..4096).map(|at| bits(at, "e", "i")).collect();
    let long = "a_".repeat(10_000);
    let cases: [(&str, String, Vec<&str>); 6] = [
        ("sentences", "user\n".repeat(100_000), names.iter().map(String::as_str).collect()),
        ("one sentence", "user mail ".repeat(50_000), names.iter().map(String::as_str).collect()),
        ("one stem", "y ".repeat(100_000), stems.iter().map(String::as_str).collect()),
        ("one word", "a ".repeat(500_000), vec![&long, "a_a_a_a_a_a_a_b"]),
        ("signs", "1+".repeat(200_000), vec!["calculate", "calculator"]),
        ("addresses", "a://b@c.d/\u{3053}".repeat(50_000), vec!["get_b"]),
    ];
    for (name, text, names) in cases {
        let messages = [Message::new(Role::User, text)];
        let mut budget = Budget::new(1_000_000);
        let found = mentions_within(&mut budget, &messages, &tools(&names));
        assert!(found.len() <= names.len(), "{name}");
    }
}
