//! Tests of the whole module: precedence of the rules, histories and hostile input.
//! `tests/tool_matching.rs` has a table of typical prompts.

use std::ops::Range;

use mynah_core::chat::{Message, Role, Tool, ToolCall};
use proptest::prelude::*;

use super::{
    Effort, MAX_UNFILTERED, Mention, RecentlyUsed, Schemas, ToolIndex, WorkBudget, index,
    mentions_within,
};

fn tools(names: &[&str]) -> Vec<Tool> {
    let tool = |name: &&str| Tool { name: (*name).to_owned(), description: None, parameters: None };
    names.iter().map(tool).collect()
}

/// The tool, the message, the sentence and the clause of a mention.
type Found = (usize, usize, Range<usize>, Range<usize>);

fn found(mentions: Vec<Mention>) -> Vec<Found> {
    mentions.into_iter().map(|it| (it.tool, it.message, it.sentence, it.clause)).collect()
}

fn mentions(messages: &[Message], tools: &[Tool]) -> Vec<Found> {
    found(super::mentions(messages, tools, None, &Effort::full()).unwrap())
}

fn mentioned(text: &str, names: &[&str]) -> Vec<usize> {
    mentions(&[Message::new(Role::User, text)], &tools(names)).iter().map(|it| it.0).collect()
}

/// Counts the comparisons of a search.
fn work(text: &str, names: &[&str]) -> usize {
    let mut budget = WorkBudget::for_one_call(&Effort::full());
    let all = budget.left();
    let index = ToolIndex::of_names(names);
    let (messages, effort) = ([Message::new(Role::User, text)], Effort::full());
    mentions_within(&mut budget, &messages, (&index, &Schemas::new(&[], &effort)), None);
    all - budget.left()
}

#[test]
fn first_matching_rule_wins() {
    // `get_user` matches "get user" by name. These words are not part of the match "create … user".
    assert_eq!(mentioned("Create a user and get user 5", &["get_user", "create_user"]), [0, 1]);
    // Both tools match by phrase, but `get_date_time` covers the words of `get_time`.
    assert_eq!(mentioned("get the date, time", &["get_time", "get_date_time"]), [1]);
}

#[test]
fn phrases_have_at_most_three_other_words_in_between() {
    assert_eq!(mentioned("get 1 2 3 info", &["get_info"]), [0]);
    assert!(mentioned("get 1 2 3 4 info", &["get_info"]).is_empty());
    assert!(mentioned("info get", &["get_info"]).is_empty());
    // The second "the" is close enough to "info", but the first is not.
    assert_eq!(mentioned("get the of the of my by info", &["get_the_info"]), [0]);
}

#[test]
fn verbs_of_requests_ask_for_other_verbs() {
    let names = ["create_ticket", "schedule_visit", "deploy_app", "assign_desk", "get_menu"];
    let cases: [(&str, &[usize]); 10] = [
        ("Please open a ticket for the broken door", &[0]),
        ("Set up a visit on Monday and file a ticket", &[0, 1]),
        ("I'd like to arrange a visit", &[1]),
        ("Roll 2.1 of the app out to everyone", &[2]),
        ("Put Ann at desk 4", &[3]),
        ("How many open tickets are there?", &[]),
        ("The visit is on my schedule", &[1]),
        ("Don't open a ticket", &[]),
        ("Roll the dice", &[]),
        ("Put the kettle on", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(mentioned(text, &names), expected, "{text}");
    }
}

#[test]
fn a_request_for_a_tool_displaces_a_word_of_another() {
    let names =
        ["search_claims", "create_claim", "cancel_policy", "find_drivers", "plan_driving_lesson"];
    let cases: [(&str, &[usize]); 10] = [
        ("Open a claim for the broken roof", &[1]),
        ("I need a new glass claim", &[1]),
        ("New claim: the cellar is under water", &[1]),
        ("Open claims of last year", &[0]),
        ("Which claims were created in May?", &[0]),
        ("Show the claims created by Ann", &[0]),
        ("A claim was created", &[1]),
        ("Anna would like a driving lesson", &[4]),
        ("Is there anyone for driving?", &[3]),
        ("I want to raise a claim and cancel the policy", &[1, 2]),
    ];
    for (text, expected) in cases {
        assert_eq!(mentioned(text, &names), expected, "{text}");
    }
}

#[test]
fn long_names_match_only_literally() {
    let sixteen = ["create"; 15].join("_") + "_user";
    let seventeen = ["create"; 16].join("_") + "_user";
    assert_eq!(mentioned("create user", &[&sixteen, &seventeen]), [0]);
    assert_eq!(mentioned(&format!("call {seventeen}!"), &[&seventeen]), [0]);
    assert_eq!(mentioned(&seventeen.replace('_', ""), &[&seventeen]), [0]);
}

#[test]
fn names_without_words_never_match() {
    assert!(mentioned("_ __ - ", &["", "_", "-", "🦜"]).is_empty());
    assert_eq!(mentioned("42 is the answer", &["42"]), [0]);
}

#[test]
fn a_run_may_have_the_canonical_form_of_its_first_word() {
    let name = "iE_".repeat(9);
    assert_eq!(mentioned(&name, &[&name]), [0]);
}

#[test]
fn returns_the_latest_mention() {
    let user = |text: &str| Message::new(Role::User, text);
    let assistant = Message::new(Role::Assistant { tool_calls: Vec::new() }, "hm");
    let messages = [user("get time"), user("get weather"), assistant, user("get time, now")];
    let found = mentions(&messages, &tools(&["get_weather", "get_time"]));
    assert_eq!(found, [(0, 1, 0..11, 0..11), (1, 3, 0..13, 0..13)]);
}

#[test]
fn mentions_divide_a_sentence_into_clauses() {
    let text = "Hi! Please create a playlist called A and play the movie B, then email Bob.";
    let names = ["send_email", "create_playlist", "play_movie", "make_playlist"];
    let found = mentions(&[Message::new(Role::User, text)], &tools(&names));
    let clauses: Vec<_> = found.into_iter().map(|it| (it.0, &text[it.3])).collect();
    let expected = [
        (0, "then email Bob."),
        (1, " Please create a playlist called A "),
        (2, "and play the movie B, "),
    ];
    assert_eq!(clauses, expected);
}

#[test]
fn message_parts_are_separate_sentences() {
    let mut message = Message::new(Role::User, "send");
    message.parts.push("email".to_owned());
    assert_eq!(mentions(&[message], &tools(&["send_invoice", "create_email"])), []);
}

#[test]
fn called_tool_still_covers_smaller_matches() {
    let call = ToolCall { id: None, name: "list_users".to_owned(), arguments: String::new() };
    let messages = [
        Message::new(Role::User, "list users"),
        Message::new(Role::Assistant { tool_calls: vec![call] }, ""),
        Message::new(Role::User, "thanks"),
    ];
    assert_eq!(mentions(&messages, &tools(&["get_user", "list_users"])), []);
}

/// Names that the words in [`prose`] mention.
const KNOWN_NAMES: [&str; 7] =
    ["get_user", "sendEmail", "weather", "get_time", "calculator", "query_database", "trace_ip"];

/// Text made of a few words that often mention names.
fn prose() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "(get|user|users|send|email|Email|10|add|weather|を|ß|a@b.cd|www.x.y|HTTPStatus)",
        2 => "(let's trace|We should trace|Please trace|Tracing)",
        2 => "(queries|Database|clocK|CLOC\u{212a}|sql|rain|x://y.z/user|5\\+5|[a-cA-Ceisy]{1,6})",
        1 => "\\PC{0,6}",
    ];
    let gap = prop_oneof![4 => "[ _.+-]", 2 => "[.!?][ \\n\\r\u{3000}\u{2028}]|\n"];
    let pieces = proptest::collection::vec((word, gap), 0..40);
    pieces.prop_map(|pieces| pieces.into_iter().flat_map(|(word, gap)| [word, gap]).collect())
}

proptest! {
    #[test]
    fn results_are_sorted_and_deterministic(text in prose(), names in proptest::collection::vec(prose(), 0..6)) {
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let found = mentioned(&text, &names);
        prop_assert!(found.is_sorted_by(|one, next| one < next));
        prop_assert_eq!(found, mentioned(&text, &names));
    }

    #[test]
    fn literal_names_always_match(name in "[A-Za-z0-9_-]{1,64}") {
        let has_words = name.contains(|c: char| c.is_ascii_alphanumeric());
        prop_assert_eq!(mentioned(&format!("call {name}"), &[&name]).len(), usize::from(has_words));
    }
}

proptest! {
    #[test]
    fn filter_never_skips_mentions(
        text in prose(),
        names in proptest::collection::vec("[a-cA-Ceisy]{1,6}(_[a-cA-Ceisy]{1,6})?", 0..4),
        known in proptest::sample::subsequence(&KNOWN_NAMES[..], 1..KNOWN_NAMES.len()),
    ) {
        let names: Vec<_> = names.iter().map(String::as_str).chain(known).collect();
        let found = |filler: &str| {
            let texts = [text.as_str(), filler, &text, "-"];
            let in_last = texts[..3].iter().map(|text| Message::new(Role::User, *text));
            let in_earlier = texts.iter().map(|text| Message::new(Role::User, *text));
            [in_last.collect::<Vec<_>>(), in_earlier.collect()]
                .map(|messages| mentions(&messages, &tools(&names)))
        };
        prop_assert_eq!(found(""), found(&"- ".repeat(MAX_UNFILTERED)));
    }

    #[test]
    fn results_do_not_depend_on_the_cache(
        requests in proptest::collection::vec(
            (prose(), proptest::sample::subsequence(&KNOWN_NAMES[..], 0..3)),
            1..20,
        ),
    ) {
        let [mut off, mut one, mut many] = [0, 1, 16].map(RecentlyUsed::new);
        for (text, names) in requests {
            let (messages, tools) = ([Message::new(Role::User, text)], tools(&names));
            let find = |indexes: &mut RecentlyUsed<ToolIndex>| {
                let mut budget = WorkBudget::for_one_call(&Effort::full());
                let (index, effort) = (index(&tools, indexes), Effort::full());
                let schemas = Schemas::new(&tools, &effort);
                found(mentions_within(&mut budget, &messages, (&index, &schemas), None))
            };
            let off = find(&mut off);
            prop_assert_eq!(&off, &find(&mut one));
            prop_assert_eq!(&off, &find(&mut many));
            let brief = super::mentions(&messages, &tools, None, &Effort::Brief).unwrap();
            prop_assert_eq!(off, found(brief));
        }
    }
}

#[test]
fn work_is_linear_in_the_text() {
    let sentence = "Get weather and time for all users, then calculate 10+5 and send an email. ";
    let filler = "Nothing in this one is of any interest to a tool, or is it? ";
    // These tools are never mentioned, so every sentence is searched.
    let unfound = ["get_weather_alert", "get_user_photo", "send_email_draft"];
    let ten = work(&(sentence.repeat(10) + filler), &unfound);
    assert_eq!(work(&(sentence.repeat(100) + filler), &unfound), 10 * ten);
}

#[test]
fn unmentioned_tools_need_no_work() {
    let names: Vec<_> = (0..1000).map(|at| format!("get_thing{at}x")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    assert!(work("Get thing500x and get thing501x", &names) < 100);
}

#[test]
fn hostile_requests_terminate() {
    let bits = |at: usize, zero: &str, one: &str| {
        format!("{at:012b}").replace('0', zero).replace('1', one)
    };
    // 4096 names made of the words "user" and "mail".
    let names: Vec<_> = (0..4096).map(|at| bits(at, "user_", "mail-")).collect();
    // 4096 words with the same stem.
    let stems: Vec<_> = (0..4096).map(|at| bits(at, "e", "i")).collect();
    let long = "a_".repeat(10_000);
    let cases: [(&str, String, Vec<&str>); 7] = [
        ("sentences", "user\n".repeat(100_000), names.iter().map(String::as_str).collect()),
        ("one sentence", "user mail ".repeat(50_000), names.iter().map(String::as_str).collect()),
        ("one stem", "y ".repeat(100_000), stems.iter().map(String::as_str).collect()),
        ("one word", "a ".repeat(500_000), vec![&long, "a_a_a_a_a_a_a_b"]),
        ("clauses", "user, ".repeat(100_000), vec!["swap_user_mail_orders_total"]),
        ("signs", "1+".repeat(200_000), vec!["calculate", "calculator"]),
        ("addresses", "a://b@c.d/\u{3053}".repeat(50_000), vec!["get_b"]),
    ];
    for (name, text, names) in cases {
        let messages = [Message::new(Role::User, text)];
        let mut budget = WorkBudget::new(1_000_000);
        let index = ToolIndex::of_names(&names);
        let effort = Effort::full();
        let schemas = Schemas::new(&[], &effort);
        let found = mentions_within(&mut budget, &messages, (&index, &schemas), None);
        assert!(found.len() <= names.len(), "{name}");
    }
}
