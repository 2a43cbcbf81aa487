//! Checks that templates are deterministic and bounded, that any text can be written as a template,
//! and that rendering the strings of a JSON text gives JSON.

use std::{borrow::Cow, sync::Arc};

use mynah_core::{
    base::template::{Templates, is_template, literal},
    chat::{Message, Request, Role, ToolCall},
};
use mynah_script::rules::{Variables, known};
use serde_json::Value;

/// More than the fuel of a template allows, at 64 bytes for each unit.
const MAX_OUTPUT: usize = 8 << 20;

pub fn run(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let (mut templates, variables) = (Templates::default(), variables().value());
    let known = known(["city"]);
    let is_valid = templates.add(&text, &known).is_ok();
    let rendered = templates.render(&text, &variables);
    assert_eq!(templates.render(&text, &variables), rendered);
    assert!(rendered.as_ref().map_or(0, |text| text.len()) <= MAX_OUTPUT);
    let literal = literal(&text);
    assert_eq!(templates.add(&literal, &known), Ok(()));
    assert_eq!(templates.render(&literal, &variables).as_deref(), Ok(&*text));
    let json = serde_json::json!({ "a": text }).to_string();
    if let Ok(json) = templates.render_json(&json, &variables, None) {
        let value: Value = serde_json::from_str(&json).expect("JSON");
        let rendered = rendered.as_deref().unwrap_or_default();
        match &value["a"] {
            Value::String(text) => assert_eq!(text, rendered),
            // A single expression keeps its type.
            Value::Null => assert_eq!(rendered, ""),
            value => assert_eq!(serde_json::from_str::<Value>(rendered).ok().as_ref(), Some(value)),
        }
    }
    let _ = templates.render_json(&text, &variables, None);
    is_valid && is_template(&text) && matches!(rendered, Ok(Cow::Owned(_)))
}

fn variables() -> Variables {
    let call = ToolCall {
        id: Some("call_1".to_owned()),
        name: "get_weather".to_owned(),
        arguments: r#"{"city":"Paris"}"#.to_owned(),
    };
    let result = Role::Tool { id: Some("call_1".to_owned()), name: "get_weather".to_owned() };
    let request = Request {
        messages: vec![
            Message::new(Role::User, "What is the weather in Paris?"),
            Message::new(Role::Assistant { tool_calls: vec![call] }, ""),
            Message::new(result, r#"{"temp": 21.5, "days": ["sun", "rain"]}"#),
        ],
        metadata: [("tenant".to_owned(), "acme".to_owned())].into(),
        ..Request::default()
    };
    let captures = [("city".to_owned(), "Paris".to_owned())].into();
    Variables::new(Arc::new(request), "llm", "default", captures)
}
