//! Tests of templates with the variables of a call.

use std::{borrow::Cow, sync::Arc};

use mynah_core::{
    base::template::{Templates, literal},
    chat::{Message, Request, Role, ToolCall},
};

use super::{Variables, known};

fn variables() -> Variables {
    let call = ToolCall {
        id: Some("call_1".to_owned()),
        name: "get_weather".to_owned(),
        arguments: r#"{"city": "Paris"}"#.to_owned(),
    };
    let result = |id: &str, name: &str, text: &str| {
        Message::new(Role::Tool { id: Some(id.to_owned()), name: name.to_owned() }, text)
    };
    let request = Request {
        messages: vec![
            Message { name: Some("Ann".to_owned()), ..Message::new(Role::User, "Say \"hi\"") },
            Message::new(Role::Assistant { tool_calls: vec![call] }, ""),
            result("call_1", "get_weather", r#"{"temp": 21.50, "days": ["sun", "rain"]}"#),
            result("call_2", "get_time", "noon"),
        ],
        metadata: [("tenant".to_owned(), "acme".to_owned())].into(),
        ..Request::default()
    };
    let captures = [("t".to_owned(), "21".to_owned())].into();
    Variables::new(Arc::new(request), "llm", "test-7", captures)
}

fn render(text: &str) -> Result<String, String> {
    let mut templates = Templates::default();
    templates.add(text, &known(["t"]))?;
    templates.render(text, &variables().value()).map(Cow::into_owned)
}

#[test]
fn expressions_are_replaced() {
    let cases = [
        ("It is {{ t }} degrees.\n", "It is 21 degrees.\n"),
        ("{{ user }}", "Say \"hi\""),
        ("{{ component }}/{{ session }}/{{ turn }}", "llm/test-7/1"),
        ("{{ metadata.tenant }}", "acme"),
        (
            "{{ user | tojson }} {{ results[0].json.days | tojson }}",
            r#""Say \"hi\"" ["sun","rain"]"#,
        ),
        ("{{ results[0].json.temp }} {{ results[0].tool }}", "21.5 get_weather"),
        ("{{ results[0].json.days }}", r#"["sun","rain"]"#),
        ("{{ results[-1].text }} {{ results[-1].id }}", "noon call_2"),
        ("{{ messages[0].name }}: {{ messages[0].text }}", "Ann: Say \"hi\""),
        ("{{ messages[1].tool_calls[0].args.city }}", "Paris"),
        ("{{ messages | length }} {{ messages[-1].role }}", "4 tool"),
        ("{% for result in results %}{{ result.tool }};{% endfor %}", "get_weather;get_time;"),
        ("{% if t | int > 20 %}warm{% else %}cold{% endif %}", "warm"),
        ("{{ metadata.user | default('nobody') }}", "nobody"),
        ("{# a comment #}{{ none }}", ""),
        ("{ no } template }}", "{ no } template }}"),
    ];
    for (text, expected) in cases {
        assert_eq!(render(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn failures_have_a_reason() {
    let doubling = "{% set x = 'x' %}".to_owned() + &"{% set x = x ~ x %}".repeat(60);
    let texts = [
        "{{ user",
        "{% if %}",
        "{% if messages[0].tool_calls %}{% endif %}",
        "{{ temp }}",
        "{{ user | random }}",
        "{{ now() }}",
        "{{ metadata.user }}",
        "{{ results[7].text }}",
        "{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}",
        "{{ 'x' * 100000000000 }}",
        &doubling,
    ];
    let failures = texts.map(|text| render(text).unwrap_err());
    insta::assert_snapshot!(failures.join("\n"), @r#"
    malformed template "{{ user", line 1, column 4: unexpected end of input, expected end of variable block
    malformed template "{% if %}", line 1, column 7: unexpected end of block
    template "{% if messages[0].tool_calls %}{% endif %}", line 1, column 15: `messages[0].tool_calls` is undefined; use the filter default or `is defined`
    template "{{ temp }}": unknown variable `temp`; expected one of: user, messages, results, turn, metadata, request, component, session, t
    template "{{ user | random }}", line 1, column 11: unknown filter `random`; expected one of: abs, capitalize, count, d, default, first, float, int, items, join, last, length, list, lower, map, replace, round, string, title, tojson, trim, upper
    template "{{ now() }}", line 1, column 4: unknown function `now`; expected range
    template "{{ metadata.user }}", line 1, column 4: `metadata.user` is undefined; use the filter default or `is defined`
    template "{{ results[7].text }}", line 1, column 11: `results[7]` is undefined; use the filter default or `is defined`
    template "{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}", line 1, column 39: engine ran out of fuel
    template "{{ 'x' * 100000000000 }}", line 1, column 4: engine ran out of fuel
    template "{% set x = 'x' %}{% set x = x ~ x %}{% set x = x ~ x %}{% set x = x ~ x %}{% set x = x ~ x %}{% set …", line 1, column 428: engine ran out of fuel
    "#);
}

#[test]
fn strings_in_json_are_replaced() {
    let json = r#"{"to": "{{ user }}", "{{ t }}": 1.50, "days": ["{{ t }}", "x"]}"#;
    let mut templates = Templates::default();
    templates.add_json(json, &known(["t"])).unwrap();
    let rendered = templates.render_json(json, &variables().value(), None).unwrap();
    assert_eq!(rendered, r#"{"to": "Say \"hi\"", "{{ t }}": 1.50, "days": ["21", "x"]}"#);
    assert!(templates.add_json(r#"["{{ x }}"]"#, &known([])).is_err());
}

#[test]
fn any_text_can_be_written_as_a_template() {
    for text in [
        "plain",
        "{{ user }}",
        "{{{%{#}}",
        "{{{{{ {",
        "{% raw %}{% endraw %}",
        "a\n",
        "{{ \"\\'\u{8}\u{1f}\n\u{1f600} {% }",
    ] {
        assert_eq!(render(&literal(text)).as_deref(), Ok(text), "{}", literal(text));
    }
}

#[test]
fn the_same_call_gives_the_same_text() {
    let text = "{{ messages }} {{ metadata }} {{ results }}";
    assert_eq!(render(text), render(text));
}

#[test]
fn long_chains_do_not_exhaust_the_stack() {
    let chains = [
        "{{ 1", " + 1", " }}", "{{ t", " ~ 1", " }}", "{{ t", " | upper", " }}", "{{ t", ".a",
        " }}",
    ];
    for chain in chains.chunks(3) {
        let [start, link, end] = [chain[0], chain[1], chain[2]];
        assert!(
            !render(&(start.to_owned() + &link.repeat(490) + end))
                .is_err_and(|it| it.contains("tokens"))
        );
        assert!(
            render(&(start.to_owned() + &link.repeat(500_000) + end))
                .is_err_and(|it| it.contains("tokens"))
        );
    }
    let elif = "{% if t == 'a' %}".to_owned() + &"{% elif t == 'b' %}".repeat(160) + "{% endif %}";
    assert_eq!(render(&elif).as_deref(), Ok(""));
}

#[test]
fn all_listed_filters_and_tests_exist() {
    let used = [
        "{{ [1, -2] | first | abs | float | round(1) }} {{ 'a' | capitalize | title | trim | lower }}",
        "{{ user | count }} {{ metadata.x | d('y') | string | length }} {{ [1] | last | int(2) }}",
        "{% for k, v in metadata | items %}{{ k }}={{ v }}{% endfor %} {{ user | replace('h', t) }}",
        "{{ messages | map(attribute='role') | list | join('+') }} {{ 1 is boolean }} {{ t is defined }}",
        "{{ 4 is divisibleby(2) }} {{ t is endingwith('1') and t is startingwith('2') }} {{ 2 is even }}",
        "{{ 2 is float or 2 is integer }} {{ [] is iterable and [] is sequence }} {{ {} is mapping }}",
        "{{ none is none }} {{ 2 is number }} {{ 2 is odd }} {{ t is string }} {{ t is undefined }}",
        "{% for i in range(3) %}{{ loop.index * i }}{% endfor %} {{ 'rain' in results[0].json.days }}",
        "{% for m in messages if m.role == 'user' %}{{ m.text ~ results[0].json.temp }}{% endfor %}",
        "{% for c in messages[0].tool_calls | default([]) %}{{ c }}{% else %}none{% endfor %}",
        "{{ results[0].json.temp + 1 }} {{ results[0].json.temp | float * 2 }} {{ 1 if t else 2 }}",
    ];
    let rendered = used.map(|text| render(text).unwrap());
    insta::assert_snapshot!(rendered.join("\n"), @r#"
    1.0 a
    8 1 1
    tenant=acme Say "21i"
    user+assistant+tool+tool false true
    true true true
    true true true
    true true false true false
    026 true
    Say "hi"21.5
    none
    22.5 43.0 1
    "#);
}
