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
    assert_eq!(ask(&sidecar, r#"json "a""#).await, r#"{"said":"json \"a\"","turn":0}"#);
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
    assert_snapshot!(ask(&sidecar, "Hello").await, @r#"InvalidArgument: failed conversing with component echo: rule "tenant": template "For {{ metadata.tenant }}.", line 1, column 8: `metadata.tenant` is undefined; use the filter default or `is defined`"#);
    assert_snapshot!(ask(&sidecar, "Where?").await, @r#"InvalidArgument: failed conversing with component echo: rule "city": template "a\n{% if turn == 0 %}\né{{ ('in ' ~ results[0].json.city) | upper }}{% endif %}", line 3, column 21: `results[0]` is undefined; use the filter default or `is defined`"#);
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
    rules.yaml:2:12: rule 1: respond, item 1, text: template "{{ city }}": unknown variable `city`; expected one of: user, messages, results, turn, metadata, request, component, session
    rules.yaml:7:13: rule 2: step 2, item 2, text: malformed template "{{ city ", line 1, column 4: unexpected end of input, expected end of variable block
    rules.yaml:12:15: rule 2: step 3, item 1, call 2, args: template "{{ town }}": unknown variable `town`; expected one of: user, messages, results, turn, metadata, request, component, session, city
    rules.yaml:13:20: rule 3: respond, item 1, json: template "{{ x }}": unknown variable `x`; expected one of: user, messages, results, turn, metadata, request, component, session
    0 components, 1 rules file, 4 errors, 0 warnings
    "#);
}

#[test]
fn templates_use_only_what_is_listed() {
    let templates = [
        "{{ user | shout }}",
        "{{ user is loud }}",
        "{{ now() }}",
        "{{ user.split() }}",
        "{% set n = namespace(x=1) %}",
        "{% set x = [1] %}{% set x = [x, x] %}{{ x }}",
        "{{ messages + messages }}",
        "{{ results[0].json * 9 }}",
        "{{ messages == results }}",
        "{{ messages in results }}",
        "{{ messages[1:] }}",
        "{% set user = 1 %}",
        "{{ user | trim(user) }}",
        "{{ user | join(messages) }}",
        "{{ user | map('upper') }}",
        "{% with x = 1 %}{% endwith %}",
        "{% for x in messages recursive %}{% endfor %}",
        "{{ range }}",
    ];
    let rules = templates.map(|template| json!({ "respond": template }));
    let file = json!({ "rules": rules }).to_string().replace("},{", "},\n{");
    assert_snapshot!(check(&file), @r#"
    rules.yaml:1:22: rule 1: respond, item 1, text: template "{{ user | shout }}", line 1, column 11: unknown filter `shout`; expected one of: abs, capitalize, count, d, default, first, float, int, items, join, last, length, list, lower, map, replace, round, string, title, tojson, trim, upper
    rules.yaml:2:12: rule 2: respond, item 1, text: template "{{ user is loud }}", line 1, column 12: unknown test `loud`; expected one of: boolean, defined, divisibleby, endingwith, even, float, integer, iterable, mapping, none, number, odd, sequence, startingwith, string, undefined
    rules.yaml:3:12: rule 3: respond, item 1, text: template "{{ now() }}", line 1, column 4: unknown function `now`; expected range
    rules.yaml:4:12: rule 4: respond, item 1, text: template "{{ user.split() }}", line 1, column 8: unknown method `split`; expected a filter after `|`
    rules.yaml:5:12: rule 5: respond, item 1, text: template "{% set n = namespace(x=1) %}", line 1, column 12: unknown function `namespace`; expected range
    rules.yaml:6:12: rule 6: respond, item 1, text: template "{% set x = [1] %}{% set x = [x, x] %}{{ x }}", line 1, column 29: lists and mappings may contain only constants
    rules.yaml:7:12: rule 7: respond, item 1, text: template "{{ messages + messages }}", line 1, column 4: this may be a list or a mapping here; convert it with the filter int, float or string
    rules.yaml:8:12: rule 8: respond, item 1, text: template "{{ results[0].json * 9 }}", line 1, column 11: this may be a list or a mapping here; convert it with the filter int, float or string
    rules.yaml:9:12: rule 9: respond, item 1, text: template "{{ messages == results }}", line 1, column 4: this may be a list or a mapping here; convert it with the filter int, float or string
    rules.yaml:10:12: rule 10: respond, item 1, text: template "{{ messages in results }}", line 1, column 4: this may be a list or a mapping here; convert it with the filter int, float or string
    rules.yaml:11:12: rule 11: respond, item 1, text: template "{{ messages[1:] }}", line 1, column 4: templates have no slices; capture a part of a text with a group in `matches`
    rules.yaml:12:12: rule 12: respond, item 1, text: template "{% set user = 1 %}", line 1, column 8: cannot set `user`; choose a name that is not taken
    rules.yaml:13:12: rule 13: respond, item 1, text: template "{{ user | trim(user) }}", line 1, column 11: `trim` takes 0 arguments, not 1
    rules.yaml:14:12: rule 14: respond, item 1, text: template "{{ user | join(messages) }}", line 1, column 16: this may be a list or a mapping here; convert it with the filter int, float or string
    rules.yaml:15:12: rule 15: respond, item 1, text: template "{{ user | map('upper') }}", line 1, column 11: `map` needs the argument attribute='NAME'
    rules.yaml:16:12: rule 16: respond, item 1, text: template "{% with x = 1 %}{% endwith %}", line 1, column 4: templates have no `with`; expected one of: for, if, set, raw
    rules.yaml:17:12: rule 17: respond, item 1, text: template "{% for x in messages recursive %}{% endfor %}", line 1, column 4: templates have no `recursive`; expected one of: for, if, set, raw
    rules.yaml:18:12: rule 18: respond, item 1, text: template "{{ range }}", line 1, column 4: `range` needs arguments
    0 components, 1 rules file, 18 errors, 0 warnings
    "#);
}
