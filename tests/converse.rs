//! Tests of the Conversation API: roles, inputs, parameters, tools and streams.

use std::collections::BTreeMap;

use mynah::internals::wire::proto::{
    ConversationInput, ConversationRequest, ConversationRequestAlpha2, ConversationResult,
    conversation_message::MessageTypes,
};
use prost_types::Any;
use serde_json::json;

use crate::support::{
    Sidecar,
    messages::{
        assistant, assistant_with_calls, developer, encoded_schema, input, prompt, request, system,
        tool, tool_call, tool_result, user,
    },
    stream, stream_alpha1,
};

#[tokio::test]
async fn returns_last_user_message() {
    let sidecar = Sidecar::start();
    let later = [
        system("be brief"),
        developer("no jokes"),
        assistant("hm"),
        assistant_with_calls("", [tool_call("1", "f", "{}")]),
    ];
    for message in later {
        let answer = sidecar.converse(request([user("hello"), message])).await.unwrap();
        assert_eq!(answer.content, "hello");
        assert_eq!(answer.finish_reason, "stop");
    }
}

#[tokio::test]
async fn returns_last_text_without_user_message() {
    let sidecar = Sidecar::start();
    let messages =
        [system("said"), developer("said"), assistant("said"), tool_result("1", "f", "said")];
    for message in messages {
        let answer = sidecar.converse(request([message, system("")])).await.unwrap();
        assert_eq!(answer.content, "said");
    }
    assert_eq!(sidecar.converse(request([])).await.unwrap().content, "");
}

#[tokio::test]
async fn joins_parts_and_inputs() {
    let sidecar = Sidecar::start();
    let mut two_parts = user("one");
    let Some(MessageTypes::OfUser(message)) = &mut two_parts.message_types else { unreachable!() };
    message
        .content
        .push(mynah::internals::wire::proto::ConversationMessageContent { text: "two".into() });
    let mut asked = request([user("first")]);
    asked.inputs.push(input([system("note")]));
    asked.inputs.push(input([two_parts]));
    let answer = sidecar.converse(asked).await.unwrap();
    assert_eq!(answer.content, "one\ntwo");
    // One token each: "first", "note" and "one\ntwo".
    assert_eq!(answer.response.outputs[0].usage.unwrap().prompt_tokens, 3);
}

#[tokio::test]
async fn answers_with_tool_results() {
    let sidecar = Sidecar::start();
    let schema = json!({"type": "object", "properties": {"location": {"type": "string"}}});
    let tools = [tool("get_weather", schema.clone()), tool("get_time", schema)];
    let question = user("What's the weather and the time in Paris?");
    let asked = ConversationRequestAlpha2 { tools: tools.to_vec(), ..request([question.clone()]) };
    let first = sidecar.converse(asked.clone()).await.unwrap();
    assert_eq!(first.called_tools(), ["get_weather", "get_time"]);
    assert_eq!(first.calls[0].arguments, json!({"location": "Paris"}));

    let made: Vec<_> = first.calls.iter().map(|c| tool_call(&c.id, &c.name, "{}")).collect();
    let history = [
        question,
        assistant_with_calls("", made),
        tool_result(&first.calls[0].id, "get_weather", "sunny"),
        tool_result(&first.calls[1].id, "get_time", "noon"),
        system("answer now"),
    ];
    for choice in ["", "auto", "none", "required", "get_time"] {
        let mut asked = ConversationRequestAlpha2 { ..asked.clone() };
        asked.inputs = vec![input(history.clone())];
        asked.tool_choice = Some(choice.to_owned());
        let last = sidecar.converse(asked).await.unwrap();
        assert_eq!((last.content.as_str(), last.calls.len()), ("sunny\nnoon", 0), "{choice}");
        assert_eq!(last.finish_reason, "stop", "{choice}");
    }
}

#[tokio::test]
async fn follows_tool_choice() {
    let sidecar = Sidecar::start();
    let tools = || ["get_weather", "get_time"].map(|name| tool(name, serde_json::Value::Null));
    let cases: [(&str, &str, &[&str]); 8] = [
        ("What time is it?", "auto", &["get_time"]),
        ("What time is it?", "none", &[]),
        ("What time is it?", "required", &["get_time"]),
        ("What time is it?", "get_weather", &["get_weather"]),
        ("Hello", "auto", &[]),
        ("Hello", "required", &["get_weather"]),
        ("Hello", "get_time", &["get_time"]),
        ("Hello", "", &[]),
    ];
    for (text, choice, expected) in cases {
        let mut asked = prompt(text, tools());
        asked.tool_choice = Some(choice.to_owned());
        let answer = sidecar.converse(asked).await.unwrap();
        assert_eq!(answer.called_tools(), expected, "{text} with {choice:?}");
        assert!(answer.calls.iter().all(|call| call.arguments == json!({})), "{text}");
    }
}

#[tokio::test]
async fn call_ids_are_unique_and_stable() {
    let sidecar = Sidecar::start();
    let tools = [tool("get_weather", serde_json::Value::Null)];
    let first = sidecar.converse(prompt("weather", tools.clone())).await.unwrap();
    let again = sidecar.converse(prompt("weather", tools.clone())).await.unwrap();
    assert_eq!(first.calls[0].id, again.calls[0].id);

    let id = &first.calls[0].id;
    let history = [
        user("weather"),
        assistant_with_calls("", [tool_call(id, "get_weather", "{}")]),
        tool_result(id, "get_weather", "sunny"),
        user("weather"),
    ];
    let asked = ConversationRequestAlpha2 { tools: tools.to_vec(), ..request(history) };
    let second = sidecar.converse(asked).await.unwrap();
    assert_eq!(second.called_tools(), ["get_weather"]);
    assert_ne!(second.calls[0].id, *id);
}

#[tokio::test]
async fn follows_response_format() {
    let sidecar = Sidecar::start();
    let schema = json!({
        "type": "object",
        "properties": {"city": {"type": "string"}, "size": {"type": "integer", "maximum": 9}},
        "required": ["city", "size"],
        "description": null,
    });
    let wrapped = json!({"type": "json_schema", "json_schema": {"name": "x", "schema": schema}});
    let generated = r#"{"city":"San Francisco","size":9}"#;
    let valid = r#"{ "city": "Oslo", "size": 3 }"#;
    let cases = [
        (&schema, "hello", generated),
        (&schema, valid, valid),
        (&schema, r#"{"city": true}"#, generated),
        (&schema, r#"{"size": 4}"#, r#"{"city":"San Francisco","size":4}"#),
        (&wrapped, "hello", generated),
        (&wrapped, valid, valid),
        (&json!({"type": "json_object"}), "[1]", r#"{"text":"[1]"}"#),
        (&json!({"type": "json_object"}), "{\"a\": 1}", "{\"a\": 1}"),
    ];
    for (format, text, expected) in cases {
        let mut asked = prompt(text, []);
        asked.response_format = Some(encoded_schema(format));
        let answer = sidecar.converse(asked).await.unwrap();
        assert_eq!(answer.content, expected, "{text}");
    }
}

#[tokio::test]
async fn ignores_invalid_response_format() {
    let sidecar = Sidecar::start();
    let mut asked = prompt("5", []);
    asked.response_format = Some(encoded_schema(&json!({"type": "integer", "minimum": "x"})));
    assert_eq!(sidecar.converse(asked).await.unwrap().content, "42");
}

#[tokio::test]
async fn returns_context_id_unless_empty() {
    let sidecar = Sidecar::start();
    for (sent, expected) in [(Some("c1"), Some("c1")), (Some(""), None), (None, None)] {
        let mut asked = prompt("x", []);
        asked.context_id = sent.map(str::to_owned);
        let answer = sidecar.converse(asked).await.unwrap();
        assert_eq!(answer.response.context_id.as_deref(), expected);
    }
}

#[tokio::test]
async fn accepts_parameter_without_type() {
    let sidecar = Sidecar::start();
    let mut asked = prompt("x", []);
    let any = Any { type_url: String::new(), value: b"{\"a\":1}".to_vec() };
    asked.parameters = BTreeMap::from([("p".to_owned(), any)]);
    assert_eq!(sidecar.converse(asked).await.unwrap().content, "x");
}

fn alpha1(inputs: &[(&str, Option<&str>)]) -> ConversationRequest {
    let input = |(content, role): &(&str, Option<&str>)| ConversationInput {
        content: (*content).to_owned(),
        role: role.map(str::to_owned),
        scrub_pii: None,
    };
    ConversationRequest {
        name: "echo".to_owned(),
        inputs: inputs.iter().map(input).collect(),
        ..Default::default()
    }
}

#[tokio::test]
async fn alpha1_roles_match_daprd() {
    let sidecar = Sidecar::start();
    let mut client = sidecar.client().await;
    for role in [
        None,
        Some(""),
        Some("user"),
        Some("human"),
        Some("generic"),
        Some("unknown"),
        Some("System"),
    ] {
        let asked = alpha1(&[("user", Some("user")), ("last", role)]);
        let answer = client.converse_alpha1(asked).await.unwrap().into_inner();
        assert_eq!(answer.outputs[0].result, "last", "{role:?} is a user");
    }
    for role in ["system", "assistant", "ai"] {
        let asked = alpha1(&[("user", Some("user")), ("last", Some(role))]);
        let answer = client.converse_alpha1(asked).await.unwrap().into_inner();
        assert_eq!(answer.outputs[0].result, "user", "{role} is not a user");
    }
    for role in ["tool", "function"] {
        let asked = alpha1(&[("user", Some("user")), ("a", Some(role)), ("b", Some(role))]);
        let answer = client.converse_alpha1(asked).await.unwrap().into_inner();
        assert_eq!(answer.outputs[0].result, "a\nb", "{role} ends a loop");
    }
}

#[tokio::test]
async fn alpha1_returns_parameters_and_context() {
    let sidecar = Sidecar::start();
    let any = Any { type_url: "type.googleapis.com/x.Y".to_owned(), value: vec![1, 2] };
    let parameters = BTreeMap::from([("p".to_owned(), any)]);
    let context_id = Some("c1".to_owned());
    let asked = ConversationRequest {
        context_id: context_id.clone(),
        parameters: parameters.clone(),
        ..alpha1(&[("hello there", None)])
    };
    let mut client = sidecar.client().await;
    let answer = client.converse_alpha1(asked.clone()).await.unwrap().into_inner();
    let expected = vec![ConversationResult { result: "hello there".to_owned(), parameters }];
    assert_eq!((&answer.context_id, &answer.outputs), (&context_id, &expected));

    let (text, complete) = stream_alpha1(&sidecar, asked).await;
    assert_eq!(text, "hello there");
    assert_eq!((complete.context_id, complete.outputs), (context_id, expected));
    assert_eq!(complete.usage.unwrap().total_tokens, 4);
}

#[tokio::test]
async fn stream_ends_with_unary_answer() {
    let sidecar = Sidecar::start();
    let weather = || [tool("get_weather", serde_json::Value::Null)];
    let requests = [
        prompt("Hello, world!", []),
        prompt("weather?", weather()),
        prompt("", []),
        prompt(" \n ", []),
    ];
    for asked in requests {
        let unary = sidecar.converse(asked.clone()).await.unwrap();
        let streamed = stream(&sidecar, asked).await.unwrap();
        assert_eq!(streamed.answer.response, unary.response);
        assert_eq!(streamed.chunks.concat(), unary.content);
        assert!(streamed.chunks.iter().all(|chunk| !chunk.is_empty()));
    }
}
