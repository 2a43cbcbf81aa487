//! Why echo calls tools.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Sidecar, scratch};

fn user(text: &str) -> Value {
    json!({"ofUser": {"content": [{"text": text}]}})
}

fn tool(name: &str, properties: &Value, required: &[&str]) -> Value {
    let parameters = json!({"type": "object", "properties": properties, "required": required});
    json!({"function": {"name": name, "parameters": parameters}})
}

fn weather() -> Value {
    let properties = json!({
        "city": {"type": "string"},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        "days": {"type": "integer"},
    });
    tool("get_weather", &properties, &["city", "unit"])
}

fn shipment() -> Value {
    tool("track_shipment", &json!({}), &[])
}

/// Returns what is explained of a request to echo.
async fn explain(sidecar: &Sidecar, messages: &[Value], tools: &[Value], more: Value) -> Value {
    let mut request = json!({"inputs": [{"messages": messages}], "tools": tools});
    let members = more.as_object().unwrap().clone();
    request.as_object_mut().unwrap().extend(members);
    let body = json!({"request": request}).to_string();
    sidecar.post("/mynah/v1/explain", body).await.json()["echo"].clone()
}

#[tokio::test]
async fn names_the_words_and_the_rules() {
    let text = "What's the weather in Paris? Where is my shipment?";
    let tools = [weather(), shipment()];
    let explained = explain(&Sidecar::start(), &[user(text)], &tools, json!({})).await;
    let expected = json!({"tools": [
        {
            "tool": "get_weather",
            "calls": [{
                "rule": "topic",
                "words": ["weather"],
                "arguments": [
                    {
                        "name": "city",
                        "value": "Paris",
                        "source": "stated",
                        "rule": "behind its cue",
                        "words": "Paris",
                    },
                    {"name": "unit", "value": "celsius", "source": "enum"},
                ],
                "left_out": ["days"],
            }],
        },
        {"tool": "track_shipment", "calls": [], "reason": "'shipment' said, 'track' not"},
    ]});
    assert_eq!(explained, expected, "{explained:#}");
}

#[tokio::test]
async fn tools_are_mentioned_by_rules() {
    let sidecar = Sidecar::start();
    for (text, name, rule, words) in [
        ("call send_email now", "send_email", "name", &["send_email"][..]),
        ("Get me a user", "get_user", "phrase", &["Get", "user"]),
        ("Where are my orders and the order?", "get_order", "topic", &["orders", "order"]),
        ("Will it rain?", "get_weather", "keyword", &["rain"]),
        ("What is 10+5?", "calculate", "keyword", &["10+5"]),
        ("Please translate 'hello'", "translate_text", "verb", &["translate"]),
    ] {
        let tools = [tool(name, &json!({}), &[])];
        let explained = explain(&sidecar, &[user(text)], &tools, json!({})).await;
        let call = &explained["tools"][0]["calls"][0];
        assert_eq!((&call["rule"], &call["words"]), (&json!(rule), &json!(words)), "{text}");
    }
    let forced = json!({"toolChoice": "required"});
    let explained = explain(&sidecar, &[user("Hi")], &[shipment()], forced).await;
    let call = &explained["tools"][0]["calls"][0];
    assert_eq!((&call["rule"], &call["words"]), (&json!("tool_choice"), &json!([])));
}

/// Each argument is explained by `"words" (rule)` or by what the schema says.
#[tokio::test]
async fn arguments_come_from_words_or_the_schema() {
    let string = || json!({"type": "string"});
    let sidecar = Sidecar::start();
    for (text, property, schema, expected) in [
        ("Run it in Paris", "city", string(), "Paris (behind its cue)"),
        ("Run it at page 2", "page", json!({"type": "integer"}), "2 (in a statement)"),
        ("Run it for 2 pages", "page", json!({"type": "integer"}), "2 (beside its own word)"),
        ("Run it in 2 bathrooms", "bath", json!({"type": "integer"}), "2 (beside a related word)"),
        ("Run it in Rome and Oslo", "city", string(), "Rome (item of a list)"),
        ("Run it by ann@example.org", "email", string(), "ann@example.org (left over)"),
        ("Run it 5 times", "size", json!({"type": "integer"}), "5 (number left over)"),
        ("Run it by 'Tea'", "label", string(), "Tea (left over)"),
        ("Run it", "text", string(), "Run it (the whole message)"),
        (
            "Run it without breakfast",
            "breakfast",
            json!({"type": "boolean"}),
            "breakfast (its own words, negated)",
        ),
        (
            "Run it on A-7",
            "lot",
            json!({"type": "string", "pattern": "[A-C]-\\d"}),
            "A-7 (the only one left)",
        ),
        (
            "Run it [5, 3]",
            "items",
            json!({"type": "array", "items": {"type": "integer"}}),
            "5, 3 (list)",
        ),
        (
            "Run it on x-7",
            "street",
            json!({"type": "string", "pattern": "[w-z]-\\d"}),
            "x-7 (in the form of its pattern)",
        ),
        ("Run it from paris", "city", string(), "paris (place left over)"),
        ("Run it", "kind", json!({"const": 7}), "const"),
        ("Run it", "kind", json!({"default": "a"}), "default"),
        ("Run it", "kind", json!({"examples": ["a"]}), "example"),
        ("Run it", "kind", json!({"anyOf": [{"const": "a"}, {"const": "b"}]}), "const"),
        ("Run it", "kind", string(), "sample"),
    ] {
        let tools = [tool("run_it", &json!({ property: schema }), &[property])];
        let explained = explain(&sidecar, &[user(text)], &tools, json!({})).await;
        let argument = &explained["tools"][0]["calls"][0]["arguments"][0];
        let found = match argument["rule"].as_str() {
            Some(rule) => format!("{} ({rule})", argument["words"].as_str().unwrap()),
            None => argument["source"].as_str().unwrap().to_owned(),
        };
        assert_eq!(found, expected, "{text} {property}: {argument}");
    }
}

#[tokio::test]
async fn counterparts_are_explained() {
    let properties =
        json!({"from_currency": {"type": "string"}, "to_currency": {"type": "string"}});
    let tools = [tool("convert_it", &properties, &["from_currency", "to_currency"])];
    let messages = [user("Convert it: 250 GBP to JPY")];
    let explained = explain(&Sidecar::start(), &messages, &tools, json!({})).await;
    let arguments = &explained["tools"][0]["calls"][0]["arguments"];
    let rules = (&arguments[0]["rule"], &arguments[1]["rule"]);
    assert_eq!(rules, (&json!("before its counterpart"), &json!("behind its cue")), "{arguments}");
}

/// Values in objects have names of their own, and those in arrays do not.
#[tokio::test]
async fn objects_are_explained_by_member() {
    let email = json!({"type": "string", "format": "email"});
    let person = json!({"type": "object", "properties": {"email": email, "note": {}}, "required": ["email"]});
    let properties = json!({"owner": person, "guests": {"type": "array", "items": person}, "x": {"type": "object"}});
    let tools = [tool("invite", &properties, &["guests", "owner", "x"])];
    let text = "Invite ann@example.org and bo@example.org";
    let explained = explain(&Sidecar::start(), &[user(text)], &tools, json!({})).await;
    let call = &explained["tools"][0]["calls"][0];
    let arguments = call["arguments"].as_array().unwrap().iter();
    let arguments: Vec<_> =
        arguments.map(|it| json!([it["name"], it["value"], it["source"]])).collect();
    let expected = [
        json!(["guests", [{"email": "ann@example.org"}], "stated"]),
        json!(["owner.email", "bo@example.org", "stated"]),
        json!(["x", {}, "sample"]),
    ];
    assert_eq!(arguments, expected);
    assert_eq!(call["left_out"], json!(["owner.note"]));
}

#[tokio::test]
async fn says_why_tools_are_not_called() {
    let sidecar = Sidecar::start();
    let called = json!({"ofAssistant": {"toolCalls": [
        {"id": "1", "function": {"name": "get_weather", "arguments": "{}"}},
    ]}});
    let result =
        json!({"ofTool": {"toolId": "1", "name": "get_weather", "content": [{"text": "Sunny"}]}});
    let (none, forced) = (json!({"toolChoice": "none"}), json!({"toolChoice": "track_shipment"}));
    let auto = || json!({});
    for (messages, more, reason) in [
        (vec![user("Hello")], auto(), "'weather' not said"),
        (vec![user("I don't want the weather")], auto(), "'weather' said, but negated"),
        (
            vec![user("the weather"), called.clone(), result.clone()],
            auto(),
            "the request ends with tool results",
        ),
        (
            vec![user("the weather"), called, result, user("Thanks")],
            auto(),
            "'weather' said, but it was called since",
        ),
        (vec![user("the weather")], none, "tool_choice is none"),
        (vec![user("the weather")], forced, "tool_choice is track_shipment"),
    ] {
        let tools = [weather(), shipment()];
        let explained = explain(&sidecar, &messages, &tools, more).await;
        assert_eq!(explained["tools"][0]["reason"], reason, "{messages:?}");
    }
    for (text, names, reason) in [
        (
            "Track it. My shipment is late",
            ["shipment_track", "x"],
            "'shipment', 'track' said, but not in one sentence",
        ),
        ("List users", ["get_user", "list_users"], "'user' said, but another tool has these words"),
        ("Hi", ["_", "x"], "the name has no words"),
        ("Hi", ["server__open_door", "x"], "'open', 'door' not said"),
    ] {
        let tools = names.map(|name| tool(name, &json!({}), &[]));
        let explained = explain(&sidecar, &[user(text)], &tools, json!({})).await;
        assert_eq!(explained["tools"][0]["reason"], reason, "{text}");
    }
    let tools = json!([{"type": "function", "function": {"name": "send_mail"}},
        {"type": "function", "function": {"name": "book_room"}}]);
    let request = json!({
        "model": "echo",
        "messages": [{"role": "user", "content": "Book a room and send a mail"}],
        "tools": tools,
        "parallel_tool_calls": false,
    });
    let body = json!({"request": request, "api": "openai"}).to_string();
    let explained = sidecar.post("/mynah/v1/explain", body).await.json();
    let second = &explained["echo"]["tools"][1];
    assert_eq!(second["reason"], "'Book', 'room' said, but parallel_tool_calls is false");
}

const RULES: &str = "rules:\n- {match: {user: rule}, respond: a}\n";
const CHAIN: &str = r#"<|instruction_start|>{"messages": ["a"]}<|instruction_end|>"#;

/// Returns a component of a type with metadata items.
fn component(name: &str, kind: &str, metadata: &str) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
         spec: {{type: conversation.{kind}, version: v1, metadata: [{metadata}]}}\n---\n"
    )
}

#[tokio::test]
async fn only_the_answers_of_echo_are_explained() {
    let folder = scratch("components");
    fs::write(folder.join("rules.yaml"), RULES).unwrap();
    let components = component("echo", "echo", "{name: chains, value: 'true'}")
        + &component("daprd", "echo", "{name: mode, value: daprd}")
        + &component("scripted", "scripted", "{name: rules, value: rules.yaml}")
        + &component("failing", "scripted", "{name: fallback, value: error}");
    fs::write(folder.join("components.yaml"), components).unwrap();
    let file = folder.join("components.yaml");
    let sidecar = Sidecar::start_with(&["--resources-path", file.to_str().unwrap()]);
    for (component, text, is_explained) in [
        ("echo", "weather", true),
        ("echo", CHAIN, false),
        ("daprd", "weather", false),
        ("scripted", "weather", true),
        ("scripted", "rule", false),
        ("scripted", CHAIN, false),
        ("failing", "weather", false),
    ] {
        let explained =
            explain(&sidecar, &[user(text)], &[weather()], json!({"name": component})).await;
        assert_eq!(explained["tools"][0]["calls"].is_array(), is_explained, "{component} {text}");
        assert_eq!(explained.is_null(), !is_explained, "{component} {text}");
    }
}
