use std::{path::Path, sync::Arc, time::Duration};

use futures_util::StreamExt;
use mynah_core::{
    base::json_schema::Schema,
    chat::{
        Delta, FinishReason, LazyJson, Message, Request, Response, Role, Tool, ToolCall, Usage,
    },
    provider::{CallContext, Provider},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::json;

use super::*;
use crate::{
    Rules, ScriptedSettings,
    rules::{Missed, RuleProvider},
};

const FILE: &str = "gpt.yaml";
/// A recording whose rules are indented.
const INDENTED: &str = "rules:\n  - match: {user: NEVER}\n    respond: x\n# the end\n";

fn exchange(request: &Request, session: &str, response: Response) -> Exchange {
    let (date, duration) = ("2026-11-27".to_owned(), Duration::from_millis(5));
    let answer = RecordedAnswer {
        end: Ok(response),
        chunks: None,
        reasoning_chunks: Vec::new(),
        recorded: Recorded { date, duration, model: None },
    };
    Exchange::new(request, "gpt", session, answer)
}

fn said(text: &str) -> Response {
    Response { content: text.to_owned(), ..Response::default() }
}

fn read(text: &str) -> Recording {
    Recording::read(text, Path::new(FILE)).unwrap()
}

/// Returns a provider that answers from a recording.
fn replay(text: &str) -> Arc<dyn Provider> {
    let rules = Rules::read(text.to_owned(), Path::new(FILE));
    let rules = Arc::new(rules.unwrap_or_else(|errors| panic!("{errors:?} in\n{text}")));
    let settings =
        ScriptedSettings { chains: false, allow_unoffered: true, ..ScriptedSettings::default() };
    let missed = Missed::new("gpt", settings.clone(), rules.clone(), FILE);
    Arc::new(RuleProvider::new("gpt", settings, rules, Arc::new(missed)))
}

/// Texts with everything that YAML, templates and terminals treat in a special way.
fn text() -> impl Strategy<Value = String> {
    let special = select(vec![
        "",
        "yes",
        "0777",
        "1_000",
        "~",
        "null",
        "- a",
        "a: b # c",
        "{{ user }}",
        "{% raw %}",
        "a\n\n b\n",
        "---\n",
        "\t",
        "'",
        "\"",
        "\\",
        "\u{2028}\u{feff}\u{7f}",
        "{# c #}",
        " a ",
        "\r\n",
        "\u{1}",
        "é😀",
    ]);
    vec(prop_oneof![special.prop_map(str::to_owned), "\\PC{0,12}", "[a-z]{1,8} "], 0..5)
        .prop_map(|parts| parts.concat())
}

fn call() -> impl Strategy<Value = ToolCall> {
    let arguments = prop_oneof![
        text().prop_map(|text| json!({ "text": text, "n": 1.5, "l": [1, null, true] }).to_string()),
        text(),
        Just("{\"b\": 1, \"a\": 2}".to_owned()),
    ];
    ("[a-z]{1,9}", option::of("[a-z0-9_]{1,9}"), arguments)
        .prop_map(|(name, id, arguments)| ToolCall { id, name, arguments })
}

fn response() -> impl Strategy<Value = Response> {
    let usage = (0..9_u64, 0..9_u64, 0..3_u64, 0..3_u64).prop_map(
        |(prompt, completion, reasoning, cached)| Usage {
            prompt_tokens: prompt,
            completion_tokens: completion,
            reasoning_tokens: reasoning,
            cached_tokens: cached,
        },
    );
    let reason = select(vec!["stop", "tool_calls", "length", "content_filter", "odd"]);
    let calls = vec(call(), 0..3).prop_filter("ids are unique", |calls| {
        let ids: Vec<_> = calls.iter().filter_map(|call| call.id.as_ref()).collect();
        ids.len() == ids.iter().collect::<std::collections::BTreeSet<_>>().len()
    });
    let model = option::of(Just("gpt-real".to_owned()));
    (text(), text(), calls, reason, option::of(usage), model).prop_map(
        |(reasoning, content, tool_calls, reason, usage, model)| Response {
            reasoning,
            content,
            tool_calls,
            finish_reason: FinishReason::from(reason),
            model,
            usage,
            ..Response::default()
        },
    )
}

fn request() -> impl Strategy<Value = Request> {
    let message = prop_oneof![
        text().prop_map(Message::user),
        text().prop_map(Message::system),
        (text(), vec(call(), 0..3))
            .prop_map(|(text, tool_calls)| Message::new(Role::Assistant { tool_calls }, text)),
        ("[a-z]{1,3}", text()).prop_map(|(id, text)| Message::tool(id, "add", text)),
    ];
    let tools = vec("[a-z]{1,5}", 0..3).prop_map(|names| {
        let parameters = || Some(LazyJson::new(json!({ "type": "object" })));
        let tool = |name| Tool { name, description: None, parameters: parameters() };
        names.into_iter().map(tool).collect()
    });
    (vec(message, 1..5), tools, option::of(0.0..2.0_f64), option::of(1..9_i64)).prop_map(
        |(messages, tools, temperature, max_tokens)| Request {
            messages,
            tools,
            temperature,
            max_tokens,
            ..Request::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_recorded_is_repeated(
        exchanges in vec((request(), response(), option::of(vec(1..9_usize, 0..4))), 1..4),
        is_indented in any::<bool>(),
    ) {
        let (mut recording, mut known) = (Recording::new(), Vec::new());
        if is_indented {
            recording = read(INDENTED);
        }
        let mut recorded = Vec::new();
        for (request, response, chunks) in exchanges {
            let mut exchange = exchange(&request, "default", response.clone());
            // Ids that are not recorded are those of mynah.
            if known.contains(&exchange.request) || response.tool_calls.iter().any(|it| it.id.is_none()) {
                continue;
            }
            known.push(exchange.request.clone());
            exchange.answer.chunks = chunks.clone();
            prop_assert_eq!(recording.add(&exchange), Ok(Added::Text));
            recorded.push((Arc::new(request), response, chunks, exchange));
        }
        prop_assume!(!recorded.is_empty());
        let text = recording.text();
        let replay = replay(&text);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        for (request, response, chunks, _) in &recorded {
            let context = CallContext::default();
            let answer = runtime.block_on(replay.clone().converse(request.clone(), context.clone()));
            prop_assert_eq!(answer.as_ref().map_err(ToString::to_string), Ok(response), "{}", text);
            let mut deltas = replay.clone().stream(request.clone(), context);
            let mut lengths = Vec::new();
            while let Some(delta) = runtime.block_on(deltas.next()) {
                if let Delta::Text(text) = delta.unwrap() {
                    lengths.push(text.chars().count());
                }
            }
            let total = response.content.chars().count();
            let chunks = chunks.clone().unwrap_or_default();
            let fitting: Vec<_> = chunks
                .iter()
                .scan(0, |sum, length| {
                    *sum += length;
                    Some((*sum, *length))
                })
                .take_while(|(sum, _)| *sum <= total)
                .map(|(_, length)| length)
                .collect();
            prop_assert_eq!(lengths.iter().take(fitting.len()).copied().collect::<Vec<_>>(), fitting);
        }
        let mut again = read(&text);
        prop_assert_eq!(recording.used.values, again.used.values);
        for (_, _, _, exchange) in &recorded {
            prop_assert_eq!(again.add(exchange), Ok(Added::Nothing));
        }
        prop_assert_eq!(again.text(), text);
    }
}

#[test]
fn another_answer_changes_one_rule_only() {
    let requests = ["one", "two", "three"].map(Request::from);
    let mut recording = Recording::new();
    for request in &requests {
        recording.add(&exchange(request, "default", said("first"))).unwrap();
    }
    let text = recording.text().replace("- name: three", "# by hand\n- name: three");
    let mut again = read(&text);
    for request in &requests {
        let answer = if request.messages[0].text() == "two" { "second" } else { "first" };
        again.add(&exchange(request, "default", said(answer))).unwrap();
    }
    let changed = again.text();
    let lines = text.lines().zip(changed.lines());
    let differing: Vec<_> = lines.filter(|(old, new)| old != new).collect();
    assert_eq!(differing, [("    - text: first", "    - text: second")], "{changed}");
    assert_eq!(text.lines().count(), changed.lines().count());
}

#[test]
fn further_answers_make_a_sequence_for_each_session() {
    let request = Request::from("next");
    let mut recording = Recording::new();
    let mut add = |session, text| recording.add(&exchange(&request, session, said(text)));
    assert_eq!(add("a", "1"), Ok(Added::Text));
    assert_eq!(add("a", "1"), Ok(Added::Nothing));
    assert_eq!(add("a", "2"), Ok(Added::Text));
    assert_eq!(add("b", "1"), Ok(Added::Nothing));
    assert_eq!(add("b", "1"), Ok(Added::Nothing));
    assert_eq!(add("b", "2"), Ok(Added::Nothing));
    assert_eq!(add("c", "other"), Ok(Added::Conflict));
    let text = recording.text();
    assert_eq!(text.matches("- messages:").count(), 3, "{text}");
    let mut again = read(&text);
    assert_eq!(again.add(&exchange(&request, "a", said("1"))), Ok(Added::Nothing));
    assert_eq!(again.add(&exchange(&request, "a", said("new"))), Ok(Added::Text));
    let text = again.text();
    assert_eq!(text.matches("- messages:").count(), 2, "{text}");
}

#[test]
fn exchanges_that_are_not_added_count() {
    let mut recording = Recording::new();
    let mut asked = exchange(&Request::from("next"), "a", said("1"));
    let key = recording.key(&asked);
    assert!(!recording.repeats(key, "a"));
    recording.add(&asked).unwrap();
    assert!(recording.repeats(key, "a") && !recording.repeats(key, "b"));
    asked = exchange(&Request::from("next"), "a", said("2"));
    asked.repeats = 2;
    recording.add(&asked).unwrap();
    let text = recording.text();
    assert_eq!(text.matches("- messages:").count(), 4, "{text}");
    // The sequence goes on.
    let mut again = read(&text);
    again.add(&exchange(&Request::from("next"), "a", said("1"))).unwrap();
    assert!(!again.repeats(key, "a"));
}

#[test]
fn chunks_are_added_to_an_answer_that_was_not_streamed() {
    let mut asked = exchange(&Request::from("hi"), "default", said("Hello!"));
    let mut recording = Recording::new();
    assert_eq!(recording.add(&asked), Ok(Added::Text));
    asked.answer.chunks = Some(vec![2, 4]);
    assert_eq!(recording.add(&asked), Ok(Added::Text));
    let text = recording.text();
    assert!(text.contains("chunks: [2, 4]"), "{text}");
    asked.answer.chunks = Some(vec![6]);
    assert_eq!(read(&text).add(&asked), Ok(Added::Nothing));
}

#[test]
fn a_list_in_one_line_is_refused() {
    let error = Recording::read("rules: [{respond: a}]", Path::new(FILE)).unwrap_err();
    insta::assert_snapshot!(error[0], @"gpt.yaml: the rules are not a list with a dash before each rule");
}

#[test]
fn new_rules_are_in_the_order_of_sessions() {
    let mut recording = Recording::new();
    for (session, prompt) in [("b", "1"), ("a", "2"), ("b", "3"), ("a", "4")] {
        recording.add(&exchange(&Request::from(prompt), session, said("x"))).unwrap();
    }
    let names: Vec<_> = recording
        .text()
        .lines()
        .filter_map(|line| line.strip_prefix("- name: ").map(str::to_owned))
        .collect();
    assert_eq!(names, ["\"a: 2\"", "\"a: 4\"", "\"b: 1\"", "\"b: 3\""]);
}

#[test]
fn the_schema_knows_texts_in_files() {
    let schema = Schema::compile(&crate::rules::schema()).unwrap();
    let rules = |text: serde_json::Value| {
        let messages =
            json!([{ "role": "user", "text": text }, { "role": "user", "parts": [text] }]);
        let request = json!({ "component": "a", "messages": messages });
        json!({ "rules": [{ "match": { "request": request }, "respond": "x" }] })
    };
    let file = "requests/0123456789abcdef.json";
    for valid in [json!("hi"), json!({ "file": file, "begins": "a" }), json!({ "file": file })] {
        assert!(schema.is_valid(&rules(valid.clone())), "{valid}");
    }
    for invalid in
        [json!({ "begins": "a" }), json!({ "file": "../a" }), json!({ "file": file, "a": 1 })]
    {
        assert!(!schema.is_valid(&rules(invalid.clone())), "{invalid}");
    }
}

#[test]
fn new_rules_follow_indented_ones() {
    let mut recording = read(INDENTED);
    recording.add(&exchange(&Request::from("hi"), "default", said("Hello!"))).unwrap();
    let text = recording.text();
    assert!(Recording::read(&text, Path::new(FILE)).is_ok(), "{text}");
}
