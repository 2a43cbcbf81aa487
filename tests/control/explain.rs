//! Which rules have answered, would answer, or were nearest.

use std::fs;

use serde_json::{Value, json};
use tonic::Code;

use super::{
    entries,
    verify::{RULES, say, verify, with_rules},
};
use crate::{
    chains::component,
    support::{
        Sidecar,
        http::direct_client,
        messages::{assistant_with_calls, request, system, tool_call, tool_result, user},
        scratch,
    },
};

/// Starts a sidecar whose scripted component has these rules and metadata items.
fn scripted(rules: &str, metadata: &str) -> Sidecar {
    let folder = scratch("rules");
    fs::write(folder.join("rules.yaml"), rules).unwrap();
    let component = component("echo", &format!("{{name: rules, value: rules.yaml}}, {metadata}"));
    fs::write(folder.join("echo.yaml"), component).unwrap();
    Sidecar::start_with(&["--resources-path", folder.join("echo.yaml").to_str().unwrap()])
}

#[tokio::test]
async fn reports_unused_rules_and_unmatched_calls() {
    let sidecar = with_rules();
    say(&sidecar, "a", &["flaky", "once", "something else"]).await;
    let (status, result) = verify(&sidecar, json!({"unused": true, "no_unmatched": true})).await;
    assert_eq!(status, 409);
    let nearest = json!({"rule": "weather", "mismatches": [
        {"condition": "user", "expected": "a text that contains \"weather\"", "seen": "something else"},
    ]});
    let unmatched = json!([{"number": 3, "text": "something else", "nearest": nearest}]);
    assert_eq!(result["unmatched"], unmatched);
    let unused = result["unused"].as_array().unwrap().clone();
    let unused: Vec<_> = unused.iter().map(|it| (&it["rule"], &it["steps"])).collect();
    assert_eq!(unused, [(&json!("weather"), &json!([])), (&json!("twice"), &json!([2]))]);
    say(&sidecar, "a", &["flaky", "weather"]).await;
    assert_eq!(verify(&sidecar, json!({"unused": true})).await.0, 200);
}

#[tokio::test]
async fn explains_which_rule_would_answer() {
    let sidecar = with_rules();
    let explain = async |text: &str| {
        let request = json!({"name": "echo", "inputs": [{"messages": [
            {"ofUser": {"content": [{"text": text}]}},
        ]}]});
        let body = json!({"request": request, "session": "a"}).to_string();
        sidecar.post("/mynah/v1/explain", body).await.json()
    };
    let explained = explain("once").await;
    assert_eq!(explained["answered_by"], "once");
    let first = &explained["rules"][0];
    assert_eq!((&first["rule"], &first["matches"]), (&json!("weather"), &json!(false)));
    assert_eq!(first["mismatches"][0]["condition"], "user");
    assert_eq!(first["mismatches"][0]["seen"], "once");
    say(&sidecar, "a", &["once"]).await;
    let explained = explain("once").await;
    assert_eq!(explained["answered_by"], Value::Null, "its times are spent");
    assert_eq!(
        (&explained["rules"][2]["matches"], &explained["rules"][2]["uses"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(explain("other").await["answered_by"], Value::Null);
}

/// A condition with others inside is one condition, although it has several mismatches.
#[tokio::test]
async fn counts_the_conditions_that_hold() {
    let rules = "\
rules:
- {name: far, match: {system: Acme, turn: 2}, respond: a}
- {name: near, match: {user: refund, turn: 0, any_of: [{system: Acme}, {system: Bmce}]}, respond: b}
- {name: calls, match: {user: order}, respond: [{tool_call: [{name: find, args: {}}]}]}
- {name: answers, respond: c}
";
    let sidecar = scripted(rules, "");
    let inputs = json!([{"messages": [{"ofUser": {"content": [{"text": "a refund"}]}}]}]);
    let body = json!({"request": {"inputs": inputs}}).to_string();
    let explained = sidecar.post("/mynah/v1/explain", body).await.json();
    let rules = explained["rules"].as_array().unwrap().iter();
    let counts = rules.map(|rule| {
        let mismatches = rule["mismatches"].as_array().unwrap().len();
        (rule["held"].as_u64().unwrap(), rule["conditions"].as_u64().unwrap(), mismatches)
    });
    assert_eq!(counts.collect::<Vec<_>>(), [(0, 2, 2), (2, 3, 2), (1, 2, 1), (0, 0, 0)]);
}

/// Verify and explain see the model and the session that rules see.
#[tokio::test]
async fn rules_verify_and_explain_see_the_same_call() {
    let rules = "\
rules:
- {name: asked, match: {model: gpt-9}, respond: asked}
- {name: own, match: {model: own-model, session: a}, times: 1, respond: own}
- {name: other, respond: other}
";
    let sidecar = scripted(rules, "{name: model, value: own-model}");
    let failing = "/mynah/v1/faults";
    say(&sidecar, "a", &["first"]).await;
    let openai = json!({"model": "echo", "messages": [{"role": "user", "content": "third"}]});
    sidecar.post("/v1/chat/completions", openai.to_string()).await;
    let of_model = |model: &str| json!({"match": {"model": model}, "count": 1});
    assert_eq!(verify(&sidecar, of_model("own-model")).await.0, 200, "the model of the component");
    assert_eq!(verify(&sidecar, of_model("echo")).await.0, 200, "the model that is asked for");
    // A call that has failed has the same model.
    let fault = json!({"error": {"code": "ABORTED"}}).to_string();
    let put = direct_client().put(sidecar.url(failing)).body(fault);
    assert_eq!(sidecar.send(put).await.status, 204);
    say(&sidecar, "a", &["fails"]).await;
    let both = json!({"match": {"model": "own-model", "session": "a"}, "count": 2});
    assert_eq!(verify(&sidecar, both).await.0, 200);

    let explain = async |session: &str, model: Option<&str>| {
        let inputs = json!([{"messages": [{"ofUser": {"content": [{"text": "x"}]}}]}]);
        let request = json!({"inputs": inputs, "metadata": {"mynah-session": session}});
        let body = json!({"component": "echo", "request": request, "model": model}).to_string();
        let explained = sidecar.post("/mynah/v1/explain", body).await.json();
        (explained["session"].clone(), explained["answered_by"].clone())
    };
    assert_eq!(explain("a", None).await, (json!("a"), json!("other")), "own is spent in a");
    assert_eq!(explain("b", Some("gpt-9")).await, (json!("b"), json!("asked")));
}

#[tokio::test]
async fn faults_are_neither_matched_nor_unmatched() {
    let sidecar = with_rules();
    let fault = json!({"fail_first": 1, "error": {"code": "UNAVAILABLE"}}).to_string();
    let put = direct_client().put(sidecar.url("/mynah/v1/faults")).body(fault);
    assert_eq!(sidecar.send(put).await.status, 204);
    say(&sidecar, "a", &["weather", "weather"]).await;
    let entries = entries(&sidecar, "session=a").await;
    assert_eq!(entries[0]["answered_by"], json!([{"fault": true}]));
    assert_eq!(entries[1]["answered_by"][0]["rule"], "weather");
    assert_eq!(verify(&sidecar, json!({"no_unmatched": true})).await.0, 200);
}

/// Of rules that are equally near, the one that shares words with the call is named.
#[tokio::test]
async fn the_nearest_rule_shares_words() {
    let rules = "\
rules:
- {name: weather, match: {user: weather}, respond: a}
- {name: price, match: {user: how much is the fish}, respond: b}
- {name: flight, match: {user: {matches: 'flight from \\w+'}}, respond: c}
";
    let file = scratch("rules").join("rules.yaml");
    fs::write(&file, rules).unwrap();
    let sidecar = Sidecar::start_with(&["--rules", file.to_str().unwrap()]);
    say(&sidecar, "a", &["How much is it?", "a Flight to Rome", "nothing"]).await;
    let (_, result) = verify(&sidecar, json!({"no_unmatched": true})).await;
    let nearest = |at: usize| result["unmatched"][at]["nearest"]["rule"].clone();
    assert_eq!([0, 1, 2].map(nearest), ["price", "flight", "weather"]);
}

/// Of rules that are equally near, one about results is nearer to a call that ends with them, and one
/// whose text matches is nearer to another call.
#[tokio::test]
async fn the_nearest_rule_is_about_the_same_turn() {
    let rules = r"
rules:
- {name: hello, match: {user: {equals: Hello}, system: Acme}, respond: Hi}
- name: refund
  match: {user: {matches: 'refund (?<id>\d+)'}, tools: [refund]}
  respond: [{tool_call: [{name: refund, args: {id: '{{ id }}'}}]}]
- {name: refunded, match: {last_tool_result: {tool: refund, contains: done}}, respond: Done}
";
    let file = scratch("rules").join("rules.yaml");
    fs::write(&file, rules).unwrap();
    let sidecar = Sidecar::start_with(&["--rules", file.to_str().unwrap()]);
    let [system, question] = [system("You work for Acme."), user("Please refund 12")];
    let history = assistant_with_calls("", [tool_call("1", "refund", "{}")]);
    let result = tool_result("1", "refund", "finished");
    let first = vec![system.clone(), question.clone()];
    for messages in [first, vec![system, question, history, result]] {
        sidecar.converse(request(messages)).await.unwrap();
    }
    let (_, checked) = verify(&sidecar, json!({"no_unmatched": true})).await;
    let nearest = |at: usize| checked["unmatched"][at]["nearest"]["rule"].clone();
    assert_eq!([nearest(0), nearest(1)], ["refund", "refunded"], "{checked}");
}

/// A rule about another tool's results is not about these.
#[tokio::test]
async fn the_nearest_rule_is_not_about_another_tool() {
    let rules = r"
rules:
- {name: refunded, match: {last_tool_result: {tool: refund, contains: done}}, respond: Done}
- {name: search, match: {user: find}, respond: [{tool_call: [{name: search, args: {}}]}]}
";
    let file = scratch("rules").join("rules.yaml");
    fs::write(&file, rules).unwrap();
    let sidecar = Sidecar::start_with(&["--rules", file.to_str().unwrap(), "--strict"]);
    let history = assistant_with_calls("", [tool_call("1", "search", "{}")]);
    let call = request([user("find it"), history, tool_result("1", "search", "found")]);
    let error = sidecar.converse(call).await.unwrap_err();
    insta::assert_snapshot!(error.message(), @r#"failed conversing with component echo: no rule matches; the nearest is rule "search": has_tool_result: expected false, because the rule calls tools and has no condition on results or turns; the call has "true""#);
}

#[tokio::test]
async fn a_refused_call_has_no_nearest_rule() {
    let file = scratch("rules").join("rules.yaml");
    fs::write(&file, RULES).unwrap();
    let sidecar = Sidecar::start_with(&["--rules", file.to_str().unwrap(), "--strict-history"]);
    let refused = request([tool_result("unknown", "lookup", "1")]);
    assert_eq!(sidecar.converse(refused).await.unwrap_err().code(), Code::InvalidArgument);
    let (status, result) = verify(&sidecar, json!({"no_unmatched": true})).await;
    let unmatched = &result["unmatched"][0];
    assert_eq!((status, &unmatched["number"]), (409, &json!(1)), "{result}");
    assert_eq!(unmatched["nearest"], Value::Null, "{result}");
}

/// The journal and checks have what was sent. Rules see it without personal data, and so does what says which
/// rule answers.
#[tokio::test]
async fn rules_and_explain_see_scrubbed_inputs() {
    let folder = scratch("rules");
    let rules = "\
rules:
- {name: mail, match: {user: Mail <EMAIL_ADDRESS>}, respond: sent}
- {name: raw, match: {user: Write to bob@example.org now}, respond: never}
- {name: scrubbed, match: {user: Write to <EMAIL_ADDRESS> and, system: polite}, respond: never}
";
    fs::write(folder.join("rules.yaml"), rules).unwrap();
    let sidecar =
        Sidecar::start_with(&["--rules", folder.join("rules.yaml").to_str().unwrap(), "--strict"]);
    let body = |text: &str| {
        let messages = json!([{"ofUser": {"content": [{"text": text}]}}]);
        json!({"inputs": [{"messages": messages, "scrubPii": true}]})
    };
    let sent = body("Mail ann@example.org");
    let answer = sidecar.post("/v1.0-alpha2/conversation/echo/converse", sent.to_string()).await;
    assert!(answer.body.contains(r#""content":"sent""#), "{}", answer.body);
    let explained = sidecar.post("/mynah/v1/explain", json!({"request": sent}).to_string()).await;
    assert_eq!(explained.json()["answered_by"], "mail", "{}", explained.body);
    let as_sent = json!({"match": {"user": {"equals": "Mail ann@example.org"}}, "count": 1});
    assert_eq!(verify(&sidecar, as_sent).await.0, 200);
    let as_seen = json!({"match": {"user": "<EMAIL_ADDRESS>"}, "count": 0});
    assert_eq!(verify(&sidecar, as_seen).await.0, 200);

    let unmatched = body("Write to bob@example.org and be polite").to_string();
    let error = sidecar.post("/v1.0-alpha2/conversation/echo/converse", unmatched).await;
    let (_, result) = verify(&sidecar, json!({"no_unmatched": true})).await;
    let call = &result["unmatched"][0];
    assert_eq!(call["text"], "Write to bob@example.org and be polite");
    assert_eq!(call["nearest"]["rule"], "scrubbed", "{result}");
    assert!(error.body.contains(r#"the nearest is rule \"scrubbed\""#), "{}", error.body);
}

/// Rules see the component's own tools in addition to those of the request.
#[tokio::test]
async fn a_component_offers_its_own_tools() {
    let rules = "\
rules:
- {name: both, match: {user: order, tools: [find_order], offered_only: [find_order, pay]}, respond: found}
- {name: never, match: {tools: [find_order, pay], user: cancelled}, respond: never}
";
    let tools = r"tools:\n- {name: find_order, static: [{result: shipped}]}\n";
    let sidecar = scripted(rules, &format!("{{name: tools, value: \"{tools}\"}}"));
    let ask = async |text: &str| {
        let messages = json!([{"ofUser": {"content": [{"text": text}]}}]);
        let tools = json!([{"function": {"name": "pay"}}]);
        let request = json!({"inputs": [{"messages": messages}], "tools": tools});
        let path = "/v1.0-alpha2/conversation/echo/converse";
        sidecar.post(path, request.to_string()).await;
        let body = json!({"request": request}).to_string();
        sidecar.post("/mynah/v1/explain", body).await.json()
    };
    assert_eq!(ask("order 1").await["answered_by"], "both");
    assert_eq!(ask("a canceled order").await["answered_by"], "both");
    assert_eq!(ask("cancel").await["answered_by"], Value::Null);
    let (_, result) = verify(&sidecar, json!({"no_unmatched": true})).await;
    let nearest = &result["unmatched"][0]["nearest"];
    assert_eq!(nearest["mismatches"].as_array().unwrap().len(), 1, "{result}");
    let sent = json!({"match": {"offered_only": ["pay"]}, "count": 3});
    assert_eq!(verify(&sidecar, sent).await.0, 200, "checks see what the client sent");
}

/// Otherwise, an application that hides the error would pass its test.
#[tokio::test]
async fn rules_and_chains_that_cannot_answer_do_not_match() {
    let rules = "rules:
- {name: unoffered, match: {user: call}, respond: [{tool_call: [{name: get_weather}]}]}
- {name: template, match: {user: result}, respond: '{{ results[0].text.x }}'}
";
    let sidecar = scripted(rules, "");
    let chain =
        r#"<|instruction_start|>{"messages": [{"tool_call": [{"name": "f"}]}]}<|instruction_end|>"#;
    for text in ["call", "result", chain] {
        sidecar.converse(request([user(text)])).await.unwrap_err();
    }
    let (status, result) = verify(&sidecar, json!({"no_unmatched": true})).await;
    assert_eq!(status, 409, "{result}");
    let errors = result["unmatched"].as_array().unwrap().iter();
    let errors: Vec<_> = errors.map(|call| call["error"].as_str().unwrap()).collect();
    insta::assert_snapshot!(errors.join("\n"), @r#"
    failed conversing with component echo: rule "unoffered": calls "get_weather", which the request does not offer; offered: none; to call it anyway, set allow_unoffered in a rule, or allowUnoffered in the component
    failed conversing with component echo: rule "template": template "{{ results[0].text.x }}", line 1, column 11: `results[0]` is undefined; use the filter default or `is defined`
    failed conversing with component echo: chain in message 1, step 1: calls "f", which the request does not offer; offered: none; to call it anyway, set allow_unoffered in a rule, or allowUnoffered in the component
    "#);
}

#[tokio::test]
async fn says_where_a_rule_is_and_what_it_captures() {
    let file = scratch("rules").join("rules.yaml");
    let rules = "\
rules:
- {name: other, match: {user: other}, respond: other}

- name: order
  match: {user: {matches: 'order (?<id>\\d+)'}}
  respond: 'order {{ id }}'
";
    fs::write(&file, rules).unwrap();
    let sidecar = Sidecar::start_with(&["--rules", file.to_str().unwrap()]);
    say(&sidecar, "a", &["order 12"]).await;
    let answered = &entries(&sidecar, "session=a").await[0]["answered_by"];
    let place = |line| json!(format!("{}:{line}", file.display()));
    assert_eq!((&answered[0]["rule"], &answered[0]["place"]), (&json!("order"), &place(4)));
    let inputs = json!([{"messages": [{"ofUser": {"content": [{"text": "order 12"}]}}]}]);
    let body = json!({"request": {"inputs": inputs}}).to_string();
    let rules = sidecar.post("/mynah/v1/explain", body).await.json()["rules"].clone();
    assert_eq!((&rules[0]["place"], rules[0].get("captures")), (&place(2), None));
    assert_eq!((&rules[1]["place"], &rules[1]["captures"]), (&place(4), &json!({"id": "12"})));
}
