//! The rules that tests set for their sessions.

use futures_util::future::join_all;
use mynah::internals::wire::json;
use serde_json::{Value, json};

use super::{entries, send};
use crate::{
    chains::component,
    support::{
        Sidecar,
        http::{Reply, direct_client},
        messages::{Answer, request, user},
    },
};

const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";
const CHAIN: &str = r#"<|instruction_start|>{"messages":[{"text":"chain"}]}<|instruction_end|>"#;

/// Sets the rules of a session.
async fn put(sidecar: &Sidecar, session: &str, rules: &str) -> Reply {
    let url = sidecar.url(&format!("/mynah/v1/rules?session={session}"));
    sidecar.send(direct_client().put(url).body(rules.to_owned())).await
}

/// Sets rules that are valid.
async fn set(sidecar: &Sidecar, session: &str, rules: &str) {
    let reply = put(sidecar, session, rules).await;
    assert_eq!((reply.status, reply.body.as_str()), (204, ""));
}

/// Returns the error of rules that are invalid.
async fn error(sidecar: &Sidecar, rules: &str) -> String {
    let reply = put(sidecar, "a", rules).await;
    assert_eq!(reply.status, 400, "{}", reply.body);
    reply.json()["error"].as_str().unwrap().to_owned()
}

/// Returns the answer to a prompt in a session, or the message of the error.
async fn ask(sidecar: &Sidecar, session: &str, prompt: &str) -> String {
    let mut call = tonic::Request::new(request([user(prompt)]));
    call.metadata_mut().insert("mynah-session", session.parse().unwrap());
    match sidecar.client().await.converse_alpha2(call).await {
        Ok(answer) => Answer::from(answer.into_inner()).content,
        Err(status) => format!("{:?}: {}", status.code(), status.message()),
    }
}

/// Sends JSON to the control API.
async fn post(sidecar: &Sidecar, path: &str, body: Value) -> Value {
    sidecar.post(&format!("/mynah/v1/{path}"), body.to_string()).await.json()
}

#[tokio::test]
async fn answer_on_every_surface() {
    let sidecar = Sidecar::start();
    set(&sidecar, "a", "rules: [{match: {user: weather}, respond: It is sunny.}]").await;
    assert_eq!(ask(&sidecar, "a", "the weather").await, "It is sunny.");
    assert_eq!(ask(&sidecar, "a", "hello").await, "hello");
    assert_eq!(ask(&sidecar, "b", "the weather").await, "the weather");
    let body = json::write(&request([user("the weather")])).unwrap();
    let call = direct_client().post(sidecar.url(ALPHA2)).header("mynah-session", "a").body(body);
    assert!(sidecar.send(call).await.body.contains("It is sunny."));
    for stream in [false, true] {
        let messages = json!([{"role": "user", "content": "the weather"}]);
        let call = json!({"model": "echo", "messages": messages, "stream": stream,
            "metadata": {"mynah-session": "a"}});
        let reply = sidecar.post("/v1/chat/completions", call.to_string()).await.body;
        assert!(reply.contains("sunny"), "{reply}");
    }
}

/// The session of a call through daprd is in its metadata.
#[tokio::test]
async fn answer_calls_whose_session_is_in_the_metadata() {
    let sidecar = Sidecar::start();
    set(&sidecar, "a", "rules: [{respond: 'for {{ session }}'}]").await;
    let mut call = request([user("hello")]);
    call.metadata.insert("mynah-session".to_owned(), "a".to_owned());
    assert_eq!(sidecar.converse(call).await.unwrap().content, "for a");
}

#[tokio::test]
async fn go_before_the_rules_of_the_component_and_after_chains() {
    let file = "rules: [{respond: from the file}]".replace('\'', "");
    let metadata = format!("{{name: rules, value: \"{file}\\n\"}}");
    let sidecar = Sidecar::with_components(&component("echo", &metadata));
    assert_eq!(ask(&sidecar, "a", "hello").await, "from the file");
    set(&sidecar, "a", "rules: [{match: {user: hello}, respond: from the test}]").await;
    assert_eq!(ask(&sidecar, "a", "hello").await, "from the test");
    assert_eq!(ask(&sidecar, "a", "bye").await, "from the file");
    assert_eq!(ask(&sidecar, "a", &format!("hello {CHAIN}")).await, "chain");
}

#[tokio::test]
async fn apply_to_components_of_every_type() {
    let echo = |name, metadata| component(name, metadata).replace("scripted", "echo");
    let components = [
        echo("daprd", "{name: mode, value: daprd}"),
        echo("chains", "{name: chains, value: 'true'}"),
        component("scripted", ""),
        component("strict", "{name: fallback, value: error}"),
        component("plain", "{name: fallback, value: error}, {name: chains, value: 'false'}"),
        component("other", "{name: fallback, value: strict}"),
    ];
    let sidecar = Sidecar::with_components(&components.join("---\n"));
    let rules = "rules:
- {match: {component: other}, respond: only other}
- {match: {user: hello}, respond: 'hello from {{ component }}'}";
    set(&sidecar, "default", rules).await;
    for name in ["daprd", "chains", "scripted", "strict", "plain", "other"] {
        let mut call = request([user("hello")]);
        call.name = name.to_owned();
        let expected = match name {
            "other" => "only other".to_owned(),
            name => format!("hello from {name}"),
        };
        assert_eq!(sidecar.converse(call).await.unwrap().content, expected);
    }
}

/// Without rules, the message says how to write a chain.
#[tokio::test]
async fn strict_components_name_the_nearest_rule() {
    let sidecar = Sidecar::with_components(&component("echo", "{name: fallback, value: error}"));
    let without = ask(&sidecar, "a", "hello").await;
    assert!(without.contains("no user message contains a chain between"), "{without}");
    set(&sidecar, "a", "rules: [{name: bye, match: {user: bye}, respond: Bye!}]").await;
    insta::assert_snapshot!(ask(&sidecar, "a", "hello").await, @r#"NotFound: failed conversing with component echo: no rule matches; the nearest is rule "bye" of session a: user: expected a text that contains "bye"; the call has "hello"; and no instruction chain in the prompt answers"#);
}

/// An application that does not send its session is a common mistake.
#[tokio::test]
async fn errors_name_sessions_with_rules() {
    let sidecar = Sidecar::start_with(&["--strict"]);
    insta::assert_snapshot!(ask(&sidecar, "default", "hello").await, @"NotFound: failed conversing with component echo: there are no rules; set some with PUT /mynah/v1/rules, or give a file with --rules");
    set(&sidecar, "a", "rules: [{match: {user: hello}, respond: Hi!}]").await;
    assert_eq!(ask(&sidecar, "a", "hello").await, "Hi!");
    insta::assert_snapshot!(ask(&sidecar, "default", "hello").await, @r#"NotFound: failed conversing with component echo: there are no rules; set some with PUT /mynah/v1/rules, or give a file with --rules; the call is of session "default"; sessions with rules: "a""#);
    insta::assert_snapshot!(ask(&sidecar, "a", "Bye").await, @r#"NotFound: failed conversing with component echo: no rule matches; the nearest is rule 1 of session a: user: expected a text that contains "hello"; the call has "Bye""#);
}

#[tokio::test]
async fn are_replaced_shown_and_removed() {
    let sidecar = Sidecar::start();
    let path = "/mynah/v1/rules?session=a";
    let missing = sidecar.get(path).await;
    assert_eq!(
        (missing.status, missing.json()),
        (404, json!({"error": "session \"a\" has no rules"}))
    );
    let rules = "# One rule\nrules: [{respond: one}]\n";
    set(&sidecar, "a", rules).await;
    assert_eq!(sidecar.get(path).await.body, rules);
    assert_eq!(ask(&sidecar, "a", "hello").await, "one");
    set(&sidecar, "a", "{\"rules\": [{\"respond\": \"two\"}]}").await;
    assert_eq!(ask(&sidecar, "a", "hello").await, "two");
    assert_eq!(send(&sidecar, "DELETE", path).await, (204, String::new()));
    assert_eq!(ask(&sidecar, "a", "hello").await, "hello");
    for remove in [("DELETE", "rules"), ("POST", "reset"), ("POST", "reset?session=a")] {
        set(&sidecar, "a", rules).await;
        let (method, path) = remove;
        assert_eq!(send(&sidecar, method, &format!("/mynah/v1/{path}")).await.0, 204);
        assert_eq!(ask(&sidecar, "a", "hello").await, "hello", "{path}");
    }
}

#[tokio::test]
async fn keep_their_counters_if_name_and_content_stay() {
    let sidecar = Sidecar::start();
    let list = "{name: list, match: {user: list}, sequence: [one, two, three]}";
    let number =
        |text: &str| format!("{{name: count, match: {{user: count}}, sequence: [{text}]}}");
    set(&sidecar, "a", &format!("rules: [{list}, {}]", number("one, two"))).await;
    assert_eq!(ask(&sidecar, "a", "list").await, "one");
    assert_eq!(ask(&sidecar, "a", "count").await, "one");
    let changed = number("first, second");
    set(
        &sidecar,
        "a",
        &format!("rules:\n- {{match: {{user: new}}, respond: new}}\n- {list}\n- {changed}"),
    )
    .await;
    assert_eq!(ask(&sidecar, "a", "list").await, "two");
    assert_eq!(ask(&sidecar, "a", "count").await, "first");
    send(&sidecar, "DELETE", "/mynah/v1/rules?session=a").await;
    set(&sidecar, "a", &format!("rules: [{list}]")).await;
    assert_eq!(ask(&sidecar, "a", "list").await, "one");
}

/// The content of a fixture that was converted is not known, so its counter starts again.
#[tokio::test]
async fn changed_fixtures_count_again() {
    let sidecar = Sidecar::start();
    let fixture = |content: &str| {
        json!({"fixtures": [{"match": {"userMessage": "a", "sequenceIndex": 0},
            "response": {"content": content}}]})
        .to_string()
    };
    set(&sidecar, "a", &fixture("one")).await;
    assert_eq!(ask(&sidecar, "a", "a").await, "one");
    assert_eq!(ask(&sidecar, "a", "a").await, "a", "the fixture has answered");
    set(&sidecar, "a", &fixture("two")).await;
    assert_eq!(ask(&sidecar, "a", "a").await, "two");
}

#[tokio::test]
async fn are_checked_like_files() {
    let sidecar = Sidecar::start();
    let rules = "rules:
- {match: {usr: hello}, respond: hello}
- {name: two, respond: '{{ user', times: 0}
";
    insta::assert_snapshot!(error(&sidecar, rules).await, @r#"
    invalid rules:
    line 2, column 12: rule 1: match: unknown key `usr`; expected one of `component`, `model`, `session`, `context_id`, `alpha`, `turn`, `has_tool_result`, `has_tool_result_since_user`, `tools`, `offered_only`, `tool_choice`, `response_format`, `metadata`, `parameters`, `max_tokens`, `temperature`, `scrub_pii`, `user`, `system`, `last_message`, `any_message`, `last_tool_result`, `any_tool_call`, `has_image`, `has_audio`, `has_file`, `request`, `not`, `any_of`, `all_of`
    line 3, column 24: rule "two": respond, item 1, text: malformed template "{{ user", line 1, column 4: unexpected end of input, expected end of variable block
    line 3, column 42: rule "two": times: must be a whole number of at least 1, not 0
    "#);
    insta::assert_snapshot!(error(&sidecar, "rules: [").await, @r#"
    invalid rules:
    line 1, column 8: not valid YAML: unclosed bracket '['
    "#);
    insta::assert_snapshot!(error(&sidecar, "").await, @r#"
    invalid rules:
    line 1, column 1: the rules file is empty; expected a list `rules` or `expect`
    "#);
    let expect = "rules: [{respond: a}]\nexpect: [{match: {user: b}}]";
    insta::assert_snapshot!(error(&sidecar, expect).await, @r#"
    invalid rules:
    expect is for files; verify the calls of a session with POST /mynah/v1/verify
    "#);
    let many = format!("rules:\n{}", "- {}\n".repeat(100));
    let many = error(&sidecar, &many).await;
    assert!(many.ends_with("80 more errors"), "{many}");
    assert_eq!(ask(&sidecar, "a", "hello").await, "hello", "nothing was set");
    for (method, path) in [
        ("PUT", "rules"),
        ("GET", "rules"),
        ("PUT", "rules?session="),
        ("DELETE", "rules?session="),
    ] {
        let (status, body) = send(&sidecar, method, &format!("/mynah/v1/{path}")).await;
        assert_eq!(status, 400, "{method} {path}: {body}");
        assert!(body.contains("session"), "{body}");
    }
}

/// Adds rules to those of session `a`.
async fn add(sidecar: &Sidecar, rules: &str) -> Reply {
    sidecar.post("/mynah/v1/rules?session=a", rules.to_owned()).await
}

#[tokio::test]
async fn are_added_after_those_before() {
    let sidecar = Sidecar::start();
    for (rules, count) in [
        ("rules: [{match: {user: hello}, sequence: [one, two]}]", "one"),
        ("rules: [{name: bye, match: {user: bye}, respond: Bye!}]\nexpect: [{count: 1}]", "two"),
        (r#"{"rules": [{"match": {"user": "a\u{7f}b"}, "respond": "\u{7f}"}]}"#, "two"),
    ] {
        let rules = rules.replace(r"\u{7f}", "\u{7f}");
        assert_eq!(add(&sidecar, &rules).await.status, 204, "{rules}");
        assert_eq!(ask(&sidecar, "a", "hello").await, count);
    }
    assert_eq!(ask(&sidecar, "a", "bye").await, "Bye!");
    assert_eq!(ask(&sidecar, "a", "a\u{7f}b").await, "\u{7f}");
    let entries = entries(&sidecar, "session=a").await;
    let by = entries.iter().map(|entry| entry["answered_by"][0]["rule"].clone());
    assert_eq!(by.collect::<Vec<_>>(), ["1", "1", "1", "bye", "3"]);
    let again = add(&sidecar, "rules: [{name: bye, respond: Bye!}]").await;
    assert_eq!(again.status, 400);
    assert!(again.body.contains("duplicate name"), "{}", again.body);
    for none in ["", "rules: []", "expect: [{count: 1}]", r#"{"fixtures": []}"#] {
        assert_eq!(add(&sidecar, none).await.status, 400, "{none}");
    }
    set(&sidecar, "a", "rules: [{respond: Only this}]").await;
    assert_eq!(ask(&sidecar, "a", "bye").await, "Only this");
}

#[tokio::test]
async fn are_all_kept_if_they_are_added_at_the_same_time() {
    let sidecar = Sidecar::start();
    let rule = |number| format!("rules: [{{match: {{user: '<{number}>'}}, respond: {number}}}]");
    let rules: Vec<_> = (0..50).map(rule).collect();
    let added = join_all(rules.iter().map(|rules| add(&sidecar, rules))).await;
    assert!(added.iter().all(|reply| reply.status == 204));
    for number in 0..50 {
        assert_eq!(ask(&sidecar, "a", &format!("<{number}>")).await, number.to_string());
    }
}

#[tokio::test]
async fn are_in_the_journal_explained_and_verified() {
    let sidecar = Sidecar::start();
    let rules = "rules:
- {name: weather, match: {user: weather}, respond: It is sunny.}
- {name: chain, match: {user: chain}, chain: [one, two]}";
    set(&sidecar, "a", rules).await;
    set(&sidecar, "b", "rules: [{name: other, match: {user: other}, respond: other}]").await;
    ask(&sidecar, "a", "weather").await;
    ask(&sidecar, "a", "chain").await;
    ask(&sidecar, "a", "wether").await;
    let entries = entries(&sidecar, "session=a").await;
    assert_eq!(entries[0]["answered_by"], json!([{"rule": "weather", "file": "session a"}]));
    let inputs = json!([{"messages": [{"ofUser": {"content": [{"text": "weather"}]}}]}]);
    let body = json!({"request": {"inputs": inputs}, "session": "a"});
    let explained = post(&sidecar, "explain", body).await;
    assert_eq!(explained["answered_by"], "weather");
    assert_eq!(explained["rules"][1]["rule"], "chain");
    let unused = post(&sidecar, "verify", json!({"unused": true, "session": "a"})).await;
    let step = json!({"file": "session a", "rule": "chain", "steps": [2]});
    assert_eq!(unused["unused"], json!([step]));
    let all = post(&sidecar, "verify", json!({"unused": true})).await;
    let other = json!({"file": "session b", "rule": "other", "steps": []});
    assert_eq!(all["unused"], json!([step, other]));
    let unmatched = post(&sidecar, "verify", json!({"no_unmatched": true, "session": "a"})).await;
    assert_eq!(unmatched["unmatched"][0]["text"], "wether");
    assert_eq!(unmatched["unmatched"][0]["nearest"]["rule"], "weather");
}

#[tokio::test]
async fn of_500_sessions_do_not_mix() {
    let sidecar = Sidecar::start();
    join_all((0..500).map(async |number| {
        let session = format!("test-{number}");
        let rules = format!("rules: [{{sequence: [first {number}, second {number}]}}]");
        set(&sidecar, &session, &rules).await;
        assert_eq!(ask(&sidecar, &session, "hello").await, format!("first {number}"));
        assert_eq!(ask(&sidecar, &session, "hello").await, format!("second {number}"));
    }))
    .await;
    assert_eq!(ask(&sidecar, "default", "hello").await, "hello");
}

/// Many small steps and templates take more than their texts.
#[tokio::test]
async fn are_charged_for_steps_and_templates() {
    let sidecar = Sidecar::start_with(&["--max-memory", "32Mi", "--max-body-size", "1Mi"]);
    let steps = format!("rules: [{{chain: [{}]}}]", "a,".repeat(20_000));
    let template = |number| format!("- {{respond: '{{{{ user }}}} {number}'}}\n");
    let templates: String = (0..1_000).map(template).collect();
    for rules in [steps, format!("rules:\n{templates}")] {
        assert!(rules.len() * 128 < 6 << 20, "the text alone fits");
        let reply = put(&sidecar, "a", &rules).await;
        assert_eq!(reply.status, 503, "{}", reply.body);
    }
}

#[tokio::test]
async fn are_bounded_in_memory() {
    let sidecar = Sidecar::start_with(&["--max-memory", "16Mi", "--max-body-size", "1Mi"]);
    let large = format!("rules: [{{respond: {}}}]", "x".repeat(20_000));
    let mut accepted = Vec::new();
    let refused = loop {
        let session = format!("test-{}", accepted.len());
        let reply = put(&sidecar, &session, &large).await;
        if reply.status != 204 {
            break reply;
        }
        accepted.push(session);
        assert!(accepted.len() < 10, "a quarter of the memory is not much");
    };
    assert_eq!(refused.status, 503, "{}", refused.body);
    let help = "remove those of sessions that have ended";
    assert!(refused.body.contains(help), "{}", refused.body);
    assert_eq!(ask(&sidecar, &accepted[0], "hello").await.len(), 20_000, "what was accepted stays");
    let path = format!("/mynah/v1/rules?session={}", accepted[0]);
    assert_eq!(send(&sidecar, "DELETE", &path).await.0, 204);
    set(&sidecar, "another", &large).await;
}
