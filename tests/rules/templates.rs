//! Templates in the answers of rules.

use insta::assert_snapshot;
use serde_json::json;

use super::{ask, errors::check, with_rules};
use crate::support::messages::{assistant, prompt, request, tool, tool_result, user};

#[tokio::test]
async fn templates_use_captures_and_the_request() {
    let sidecar = with_rules(
        r#"rules:
- match: {last_tool_result: {tool: get_weather, matches: '"temp":\s*(?<t>\d+)'}}
  respond: [{text: "It is {{ t }} degrees, {{ user | upper }}."}]
- match: {user: {matches: 'weather in (?<city>\w+)'}}
  respond:
  - tool_call: [{name: get_weather, args: {location: "{{ city }}", note: 'say "{{ user }}"', days: 2}}]
- match: {user: json}
  respond: [{json: {said: "{{ user }}", turn: "{{ turn }}"}}]
- respond: "{{ component }} {{ session }} {{ messages | length }}"
"#,
    );
    let question = prompt("weather in Paris", [tool("get_weather", json!({}))]);
    let answer = sidecar.converse(question).await.unwrap();
    let expected = json!({"location": "Paris", "note": r#"say "weather in Paris""#, "days": 2});
    assert_eq!(answer.calls[0].arguments, expected);
    let history = [user("ann"), assistant(""), tool_result("1", "get_weather", r#"{"temp": 21}"#)];
    let answer = sidecar.converse(request(history)).await.unwrap();
    assert_eq!(answer.content, "It is 21 degrees, ANN.");
    assert_eq!(ask(&sidecar, r#"json "a""#).await, r#"{"said":"json \"a\"","turn":"0"}"#);
    assert_eq!(ask(&sidecar, "Hello").await, "echo default 1");
}

#[tokio::test]
async fn undefined_values_are_errors() {
    let sidecar = with_rules(
        "rules:
- {name: tenant, match: {user: Hello}, respond: 'For {{ metadata.tenant }}.'}
- {name: city, respond: \"a\\n{% if turn == 0 %}\\né{{ ('in ' ~ results[0].json.city) | upper }}{% endif %}\"}
",
    );
    assert_snapshot!(ask(&sidecar, "Hello").await, @r#"InvalidArgument: failed conversing with component echo: rule "tenant": template "For {{ metadata.tenant }}.", line 1, column 8: `metadata.tenant` is undefined"#);
    assert_snapshot!(ask(&sidecar, "Where?").await, @r#"InvalidArgument: failed conversing with component echo: rule "city": template "a\n{% if turn == 0 %}\né{{ ('in ' ~ results[0].json.city) | upper }}{% endif %}", line 3, column 21: `results[0]` is undefined"#);
}

#[test]
fn errors_in_templates_have_places() {
    let text = r#"rules:
- respond: "{{ city }}"
- match: {user: {matches: '(?<city>.*)'}}
  chain:
  - "{{ city }}"
  - - text: a
    - text: "{{ city "
  - respond:
    - tool_call:
      - name: a
      - name: b
        args: {c: ["{{ town }}"]}
- respond: [{json: {a: "{{ x }}"}}]
"#;
    assert_snapshot!(check(text), @r#"
    rules.yaml:2:12: rule 1: item 1, text: template "{{ city }}": unknown variable `city`; expected one of: user, messages, results, turn, metadata, component, session
    rules.yaml:7:13: rule 2, step 2: item 2, text: malformed template "{{ city ", line 1, column 4: unexpected end of input, expected end of variable block
    rules.yaml:12:15: rule 2, step 3: item 1, call 2, args: template "{{ town }}": unknown variable `town`; expected one of: user, messages, results, turn, metadata, component, session, city
    rules.yaml:13:20: rule 3: item 1, json: template "{{ x }}": unknown variable `x`; expected one of: user, messages, results, turn, metadata, component, session
    0 components, 0 rules files, 4 errors, 0 warnings
    "#);
}
