//! The arguments of tool calls.

use std::fs;

use mynah::internals::wire::proto::conversation_tool_calls::ToolTypes;
use serde_json::{Value, json};

use super::with_rules;
use crate::support::{
    Sidecar,
    messages::{prompt, tool},
    scratch,
};

/// Returns the arguments of the first tool call, as sent.
async fn arguments(sidecar: &Sidecar, text: &str) -> String {
    arguments_for(sidecar, text, json!({})).await
}

/// Returns the arguments of the first call of a tool with this schema, as sent.
async fn arguments_for(sidecar: &Sidecar, text: &str, schema: Value) -> String {
    let call = prompt(text, [tool("move", schema)]);
    let answer = sidecar.client().await.converse_alpha2(call).await.unwrap().into_inner();
    let message = answer.outputs[0].choices[0].message.clone().unwrap();
    let Some(ToolTypes::Function(function)) = message.tool_calls[0].tool_types.clone() else {
        panic!("a call without a function");
    };
    function.arguments
}

#[tokio::test]
async fn keys_are_sent_as_written() {
    let sidecar = with_rules(
        "rules:
- match: {metadata: {on: 'yes'}}
  respond: [{json: {y: 1, n: 2, off: 3}}]
- respond: [{tool_call: [{name: move, args: {x: 1, y: 2, no: 3, 0123: 4, 1_000: 5, 1.50: 6}}]}]
",
    );
    let sent = r#"{"x":1,"y":2,"no":3,"0123":4,"1_000":5,"1.50":6}"#;
    assert_eq!(arguments(&sidecar, "go").await, sent);
    let mut with_metadata = prompt("go", []);
    with_metadata.metadata.insert("on".to_owned(), "yes".to_owned());
    let answer = sidecar.converse(with_metadata).await.unwrap();
    assert_eq!(answer.content, r#"{"y":1,"n":2,"off":3}"#);
}

/// A single expression stands for its value, unless the schema of the tool wants a string.
#[tokio::test]
async fn single_expressions_keep_their_types() {
    let sidecar = with_rules(
        r#"rules:
- match: {user: {matches: 'pay (?<n>[0-9.]+)'}}
  respond:
  - tool_call:
    - name: move
      args:
        amount: "{{ n | float }}"
        said: "{{ n }}"
        text: "{{ n | float }}"
        texts: ["{{ n | int }}", {deep: "{{ n | int }}"}]
        either: "{{ n | int }}"
        label: "no. {{ n | int }}"
        list: "{{ [1, 'a'] }}"
        late: "{{ turn > 0 }}"
        marked: "{{- n | int -}}"
"#,
    );
    let text = json!({"type": "string"});
    let schema = json!({"type": "object", "properties": {
        "amount": {"type": "number"},
        "text": text,
        "texts": {"type": "array", "items": {"type": "string", "properties": {"deep": text}}},
        "either": {"type": ["string", "integer"]},
    }});
    let sent = arguments_for(&sidecar, "pay 3.5", schema).await;
    let expected = r#"{"amount":3.5,"said":"3.5","text":"3.5","texts":["3",{"deep":"3"}],"either":3,"label":"no. 3","list":[1,"a"],"late":false,"marked":"3"}"#;
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn raw_arguments_are_no_templates() {
    let sidecar = with_rules(
        r#"rules:
- respond: [{tool_call: [{name: move, raw_args: '{"to": "{{ user }}", "{%'}]}]
"#,
    );
    assert_eq!(arguments(&sidecar, "go").await, r#"{"to": "{{ user }}", "{%"#);
    let file = scratch("aimock").join("fixtures.json");
    let fixtures = json!({"fixtures": [{"match": {}, "response": {"toolCalls": [
        {"name": "move", "arguments": "[\"{{ user }}\"]"},
    ]}}]});
    fs::write(&file, fixtures.to_string()).unwrap();
    let sidecar = Sidecar::start_with(&["--rules", file.to_str().unwrap()]);
    assert_eq!(arguments(&sidecar, "go").await, r#"["{{ user }}"]"#);
}
