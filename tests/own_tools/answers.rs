//! Answers to callers that have no tools.

use std::fs;

use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde_json::json;
use tonic::Code;

use super::{calls, echo, find_order, scripted};
use crate::{
    chains::{chain, text},
    support::{
        Sidecar,
        messages::{Answer, assistant, request, system, user},
        scratch,
    },
};

fn parts(answer: &Answer) -> (&str, &str, Vec<&str>) {
    (&answer.content, &answer.finish_reason, answer.called_tools())
}

#[tokio::test]
async fn echo_answers_with_the_results() {
    let sidecar = echo();
    let answer = sidecar.converse(request([user("Please find order 1001.")])).await.unwrap();
    assert_eq!(parts(&answer), (r#"{"status":"shipped"}"#, "stop", vec![]));
    let both = "Find order 1001, and count orders.";
    let answer = sidecar.converse(request([user(both)])).await.unwrap();
    assert_eq!(parts(&answer), ("{\"status\":\"shipped\"}\n7", "stop", vec![]));
    let answer = sidecar.converse(request([user("Hello!")])).await.unwrap();
    assert_eq!(parts(&answer), ("Hello!", "stop", vec![]));
}

#[tokio::test]
async fn errors_of_static_tools_are_answers() {
    let sidecar = echo();
    // More failures than a circuit breaker takes.
    for _ in 0..7 {
        let answer = sidecar.converse(request([user("find order 9001")])).await.unwrap();
        assert_eq!(answer.content, "Error executing find_order: the order is archived");
    }
    let answer = sidecar.converse(request([user("find order 1001")])).await.unwrap();
    assert_eq!(answer.content, r#"{"status":"shipped"}"#);
}

#[tokio::test]
async fn echo_calls_a_tool_once_for_each_mention() {
    let sidecar = echo();
    // The caller does not know that the tool was called.
    let history = [user("find order 1001"), assistant("shipped"), user("Thank you!")];
    let answer = sidecar.converse(request(history)).await.unwrap();
    assert_eq!(answer.content, "Thank you!");
    let history = [user("find order 1001"), assistant("shipped"), user("find order 5")];
    let answer = sidecar.converse(request(history)).await.unwrap();
    assert_eq!(answer.content, r#"{"status":"unknown"}"#);
}

#[tokio::test]
async fn the_caller_sees_the_texts_and_the_usage_of_all_turns() {
    let sidecar = scripted("");
    let step = |text: &str, id: &str| {
        let mut step = calls(&[find_order(id)]);
        step["messages"].as_array_mut().unwrap().insert(0, json!({"text": text}));
        step["usage"] = json!({"prompt_tokens": 10, "completion_tokens": 5});
        step
    };
    let mut last = text("Done.");
    last["usage"] = json!({"prompt_tokens": 10, "completion_tokens": 5});
    let steps = json!([step("First.", "1001"), step("Second.", "1002"), last]);
    let answer = sidecar.converse(request([chain(steps)])).await.unwrap();
    assert_eq!(parts(&answer), ("First.\n\nSecond.\n\nDone.", "stop", vec![]));
    let usage = answer.response.outputs[0].usage.unwrap();
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (30, 15, 45));
}

#[tokio::test]
async fn chains_count_the_turns_that_the_caller_has_seen() {
    let sidecar = scripted("");
    let steps = json!([
        calls(&[find_order("1001")]),
        text("one"),
        calls(&[find_order("1002")]),
        calls(&[find_order("5")]),
        {"messages": [{"tool_results": {}}]},
        text("three"),
    ]);
    let mut history = vec![chain(steps)];
    let mut answers = Vec::new();
    for _ in 0..4 {
        let answer = sidecar.converse(request(history.clone())).await.unwrap();
        history.extend([assistant(&answer.content), user("go on")]);
        answers.push(answer.content);
    }
    let expected =
        ["one", r#"{"status":"unknown"}"#, "three", "Chain completed - using fallback response"];
    assert_eq!(answers, expected);
}

#[tokio::test]
async fn results_are_scrubbed_with_the_inputs() {
    let sidecar = echo();
    let mut asked = request([system("Be brief."), user("name the packer")]);
    let answer = sidecar.converse(asked.clone()).await.unwrap();
    assert_eq!(answer.content, "someone.else@example.com");
    asked.inputs[0].scrub_pii = Some(true);
    let answer = sidecar.converse(asked).await.unwrap();
    assert_eq!(answer.content, "<EMAIL_ADDRESS>");
}

#[tokio::test]
async fn an_error_of_the_model_is_the_error_of_the_call() {
    let sidecar = scripted("");
    let error = json!({"messages": [{"error": {"code": "UNAVAILABLE", "message": "busy"}}]});
    let steps = json!([calls(&[find_order("1001")]), error]);
    let status = sidecar.converse(request([chain(steps)])).await.unwrap_err();
    assert_eq!((status.code(), status.message().contains("busy")), (Code::Unavailable, true));
}

#[tokio::test]
async fn a_tool_choice_may_name_a_tool_of_the_component() {
    let sidecar = echo();
    let with = |choice: &str| ConversationRequestAlpha2 {
        tool_choice: Some(choice.to_owned()),
        ..request([user("What about order 1001?")])
    };
    let answer = sidecar.converse(with("find_order")).await.unwrap();
    assert_eq!(answer.content, r#"{"status":"shipped"}"#);
    let answer = sidecar.converse(with("required")).await.unwrap();
    assert_eq!(answer.content, r#"{"status":"shipped"}"#);
    let answer = sidecar.converse(with("none")).await.unwrap();
    assert_eq!(answer.content, "What about order 1001?");
    let status = sidecar.converse(with("lose_order")).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
}

/// A component and its fallback may both own tools.
#[tokio::test]
async fn a_fallback_keeps_its_tools() {
    let folder = scratch("own-tools");
    let component = |name: &str, kind: &str, items: &str| {
        format!(
            "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\nspec:\n  \
             type: conversation.{kind}\n  version: v1\n  metadata:\n{items}---\n"
        )
    };
    let tools = |name: &str, result: u32| {
        let file = folder.join(format!("{name}.yaml"));
        let text = format!("tools:\n- {{name: {name}, static: [{{result: {result}}}]}}\n");
        fs::write(&file, text).unwrap();
        format!("  - {{name: tools, value: '{}'}}\n", file.display())
    };
    let middle = tools("count_orders", 7) + "  - {name: fallback, value: last}\n";
    let outer = tools("count_mails", 8) + "  - {name: fallback, value: middle}\n";
    let last = tools("count_stars", 9);
    let text = component("echo", "scripted", &outer)
        + &component("middle", "scripted", &middle)
        + &component("last", "echo", &last)
        + &component("through", "scripted", "  - {name: fallback, value: middle}\n");
    let components = folder.join("components");
    fs::create_dir(&components).unwrap();
    fs::write(components.join("all.yaml"), text).unwrap();
    let sidecar = Sidecar::start_with(&["--resources-path", components.to_str().unwrap()]);
    for component in ["echo", "through"] {
        for (prompt, answer) in [("count orders", "7"), ("count stars", "9")] {
            let mut asked = request([user(prompt)]);
            asked.name = component.to_owned();
            assert_eq!(sidecar.converse(asked).await.unwrap().content, answer, "{component}");
        }
    }
    let both = "Count mails, and count orders, and count stars.";
    let answer = sidecar.converse(request([user(both)])).await.unwrap();
    assert!(answer.content.contains('8'), "{answer:?}");
}
