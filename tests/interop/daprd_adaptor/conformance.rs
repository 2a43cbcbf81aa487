//! Dapr's own expectations of conversation components, which every provider in components-contrib has
//! to meet. [`parity`](crate::parity) checks what Dapr expects of its echo component.

use mynah_needs::needs;
use serde_json::{Value, json};

use super::{Component, converse, with_daprd};
use crate::parity::target::Target;

const COMPONENTS: [Component<'_>; 3] = [
    ("echo", &[("provider", "echo")]),
    ("daprd", &[("provider", "echo"), ("mode", "daprd")]),
    ("scripted", &[("provider", "scripted")]),
];

/// The finish reasons of mynah that Dapr allows.
const FINISH_REASONS: [&str; 3] = ["stop", "tool_calls", "length"];

#[needs("daprd")]
#[test]
fn components_meet_the_expectations_of_components_contrib() {
    with_daprd("mynah", &COMPONENTS, async |_, _mynah, daprd| {
        for (name, _) in COMPONENTS {
            let component = Conformance { daprd: &daprd, name };
            component.answers_texts().await;
            component.continues_a_history_with_calls().await;
            component.calls_tools_and_takes_results().await;
            component.accepts_every_tool_choice().await;
            component.accepts_cache_retention().await;
        }
        Conformance { daprd: &daprd, name: "scripted" }.answers_in_the_response_format().await;
    });
}

/// A component of a daprd.
struct Conformance<'a> {
    daprd: &'a Target,
    name: &'a str,
}

impl Conformance<'_> {
    async fn answers_texts(&self) {
        let question = text("ofUser", "what is the time?");
        let histories = [
            vec![question.clone()],
            vec![text("ofSystem", "You are a helpful assistant."), question.clone()],
            vec![text("ofDeveloper", "You are a helpful assistant."), question],
        ];
        for messages in histories {
            let message = self.answer(&messages, json!({})).await;
            assert!(message["content"].as_str().unwrap().contains("time"), "{message}");
        }
    }

    async fn continues_a_history_with_calls(&self) {
        let payment = r#"{"transaction_id": "T1001"}"#;
        let cases = [("test_tool", r#"{"test": "value"}"#), ("retrieve_payment_status", payment)];
        for (tool, arguments) in cases {
            let messages = [
                text("ofUser", "Look it up."),
                calling("1", tool, arguments),
                result("1", tool, r#"{"status": "Paid"}"#),
                text("ofUser", "And now?"),
            ];
            let message = self.answer(&messages, json!({})).await;
            for call in message["toolCalls"].as_array().into_iter().flatten() {
                assert_eq!(parsed(call), serde_json::from_str::<Value>(arguments).unwrap());
            }
        }
    }

    async fn calls_tools_and_takes_results(&self) {
        let question =
            text("ofUser", "Get the project name of repo_link https://example.com/dapr.git");
        let options = json!({ "tools": [project_tool()] });
        let message = self.answer(std::slice::from_ref(&question), options.clone()).await;
        let calls = message["toolCalls"].as_array().cloned().unwrap_or_default();
        let [call] = calls.as_slice() else { panic!("{}: {message}", self.name) };
        let id = call["id"].as_str().unwrap();
        assert!(!id.is_empty());
        assert_eq!(call["function"]["name"], "get_project_name");
        let arguments = call["function"]["arguments"].as_str().unwrap();
        assert!(arguments.contains("repo_link"), "{arguments}");
        let messages = [
            question,
            calling(id, "get_project_name", arguments),
            result(id, "get_project_name", "dapr"),
        ];
        let message = self.answer(&messages, options).await;
        assert!(message["content"].as_str().unwrap().contains("dapr"), "{message}");
    }

    async fn accepts_every_tool_choice(&self) {
        let question = [text("ofUser", "Get the project name.")];
        for choice in ["auto", "none", "required", "get_project_name"] {
            self.answer(&question, json!({ "tools": [project_tool()], "toolChoice": choice }))
                .await;
        }
    }

    async fn accepts_cache_retention(&self) {
        let question = [text("ofUser", "what is the time?")];
        let message = self.answer(&question, json!({ "promptCacheRetention": "86400s" })).await;
        assert!(message["content"].as_str().unwrap().contains("time"), "{message}");
    }

    /// An echo cannot calculate, so Dapr does not expect this of one.
    async fn answers_in_the_response_format(&self) {
        let answer = json!({
            "calculation": "2+2", "result": 4, "explanation": "a sum", "confidence": "high",
        });
        let script = json!({ "messages": [{ "text": answer.to_string() }] });
        let script = format!("<|instruction_start|>{script}<|instruction_end|>");
        let texts = json!({ "type": "string" });
        let levels = json!({ "type": "string", "enum": ["low", "medium", "high"] });
        let result = json!({ "type": "integer" });
        let properties = json!({ "calculation": texts, "result": result, "explanation": texts, "confidence": levels });
        let format = json!({ "type": "object", "properties": properties });
        let message =
            self.answer(&[text("ofUser", &script)], json!({ "responseFormat": format })).await;
        let content: Value = serde_json::from_str(message["content"].as_str().unwrap()).unwrap();
        assert_eq!(content, answer);
    }

    /// Calls the component. Returns the message, after checking what holds for every answer.
    async fn answer(&self, messages: &[Value], mut request: Value) -> Value {
        request["inputs"] = json!([{ "messages": messages }]);
        let (status, body) = converse(self.daprd.http, self.name, &request).await;
        let context = || format!("{}: {request}\n{body}", self.name);
        assert_eq!(status, 200, "{}", context());
        let [output] = body["outputs"].as_array().unwrap().as_slice() else {
            panic!("{}", context())
        };
        let choice = &output["choices"][0];
        let finish_reason = choice["finishReason"].as_str().unwrap_or_default();
        assert!(FINISH_REASONS.contains(&finish_reason), "{}", context());
        let message = &choice["message"];
        assert!(message["content"] != Value::Null || message["toolCalls"] != Value::Null);
        message.clone()
    }
}

fn text(role: &str, text: &str) -> Value {
    json!({ role: { "content": [{ "text": text }] } })
}

fn calling(id: &str, name: &str, arguments: &str) -> Value {
    let function = json!({ "name": name, "arguments": arguments });
    json!({ "ofAssistant": { "toolCalls": [{ "id": id, "function": function }] } })
}

fn result(id: &str, name: &str, text: &str) -> Value {
    json!({ "ofTool": { "toolId": id, "name": name, "content": [{ "text": text }] } })
}

fn parsed(call: &Value) -> Value {
    serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap()
}

fn project_tool() -> Value {
    let link = json!({ "type": "string", "description": "The link of the repository" });
    json!({ "function": {
        "name": "get_project_name",
        "description": "Returns the name of a project",
        "parameters": { "type": "object", "properties": { "repo_link": link }, "required": ["repo_link"] },
    } })
}
