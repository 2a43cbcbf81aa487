//! Tests of participants whose messages a model writes.

use std::{
    future,
    sync::{Arc, Mutex},
    time::Duration,
};

use mynah::{
    chat::ErrorKind,
    client::RemoteComponent,
    provider::{
        Provider, ProviderError,
        scripted::{EXHAUSTED, Scripted, ScriptedSettings},
    },
    simulate::{
        Conversation, ConversationResult, Detection, EndReason, Intent, MadeCall, MessageDraft,
        Outcome, Outcomes, ParticipantRole, Runner, RunnerSettings,
        detectors::{Condition, RuleDetector},
        participants::{ModelParticipant, Script, SimulatedTurn, Typing},
    },
    tool_loop::{LoopSettings, ToolContext, ToolLoop, ToolRegistry},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{doubles::RecordingModel, texts};
use crate::{
    support::Sidecar,
    tool_loop::doubles::{call_response, identity, model, text_response, turn},
};

const CUSTOMER: ParticipantRole = ParticipantRole::Customer;
const AGENT: ParticipantRole = ParticipantRole::Agent;

/// Returns instructions with a chain of these items, one in each step.
fn chain(items: &[Value]) -> String {
    let steps: Vec<_> = items.iter().map(|item| json!({ "messages": [item] })).collect();
    let chain = json!({ "instruction_chain": steps });
    format!("Follow this: <|instruction_start|>{chain}<|instruction_end|>")
}

/// Returns instructions with a chain of texts.
fn texts_chain(texts: &[&str]) -> String {
    let items: Vec<_> = texts.iter().map(|text| json!({ "text": text })).collect();
    chain(&items)
}

fn scripted() -> Arc<dyn Provider> {
    Arc::new(Scripted::new("scripted", ScriptedSettings::default(), None))
}

/// Plays a conversation with a scripted customer, who starts with the first text.
async fn talk(customer: &[&str], agent: ModelParticipant) -> ConversationResult {
    let initial = MessageDraft::new(CUSTOMER, customer[0]);
    let customer = Script::of_texts(CUSTOMER, customer.iter().copied());
    let settings = RunnerSettings { max_messages: 12, ..RunnerSettings::default() };
    Runner::new(customer, agent, initial).id("talk-1").settings(settings).run().await
}

#[tokio::test]
async fn a_model_sees_its_instructions_and_the_conversation() {
    let model = RecordingModel::new(&["a1", "a2", ""]);
    let agent = ModelParticipant::new(AGENT, model.clone())
        .persona("Friendly, brief")
        .system("You are the support desk of Acme.")
        .system("Never promise a refund.")
        .instructions("Answer in English.");
    let initial = MessageDraft::new(AGENT, "Acme, hello!");
    let customer = Script::of_texts(CUSTOMER, ["c1", "c2", "c3"]);
    let intents = vec![Intent::new(AGENT, "Sell shoes"), Intent::new(CUSTOMER, "Return shoes")];
    let runner = Runner::new(customer, agent, initial).id("talk-1").intents(intents);
    let result = runner.run().await;
    let expected = ["A: Acme, hello!", "C: c1", "A: a1", "C: c2", "A: a2", "C: c3"];
    assert_eq!(texts(&result.conversation), expected);
    let requests = model.requests();
    let expected = [
        "system: Persona: Friendly, brief\n\nIntent: Sell shoes\n\nYou are the support desk of Acme.\
         \n\nNever promise a refund.",
        "user: Answer in English.",
        "assistant: Acme, hello!",
        "user: c1",
        "assistant: a1",
        "user: c2",
        "assistant: a2",
        "user: c3",
    ];
    assert_eq!(requests[0], expected[..4]);
    assert_eq!(requests[1], expected[..6]);
    assert_eq!(requests[2], expected);
    assert_eq!(requests.len(), 3, "the customer passes after the blank answer");
    assert!(model.sessions().iter().all(|session| session.as_deref() == Some("talk-1")));
}

#[tokio::test]
async fn without_instructions_a_model_sees_only_the_conversation() {
    let model = RecordingModel::new(&["a1", " \n"]);
    let result = talk(&["c0", "c1"], ModelParticipant::new(AGENT, model.clone())).await;
    assert_eq!(texts(&result.conversation), ["C: c0", "A: a1", "C: c1"]);
    assert_eq!(result.end_reason, EndReason::BothPassed);
    assert_eq!(model.requests()[1], ["user: c0", "assistant: a1", "user: c1"]);
}

/// The other participant continues, but the sentence for the end of a chain is never said.
#[tokio::test]
async fn an_exhausted_chain_passes() {
    let steps = texts_chain(&["a1", "a2"]);
    let agent = ModelParticipant::new(AGENT, scripted()).instructions(steps);
    let result = talk(&["c0", "c1", "c2", "c3"], agent).await;
    let expected = ["C: c0", "A: a1", "C: c1", "A: a2", "C: c2", "C: c3"];
    assert_eq!(texts(&result.conversation), expected);
    assert_eq!(result.end_reason, EndReason::BothPassed);
    assert!(!result.conversation.to_string().contains(EXHAUSTED));
}

#[tokio::test]
async fn a_chain_may_say_the_sentence_for_its_end() {
    let steps = texts_chain(&[EXHAUSTED, "a2"]);
    let agent = ModelParticipant::new(AGENT, scripted()).instructions(steps);
    let result = talk(&["c0", "c1"], agent).await;
    let said = format!("A: {EXHAUSTED}");
    assert_eq!(texts(&result.conversation), ["C: c0", &said, "C: c1", "A: a2"]);
}

#[tokio::test]
async fn a_blank_step_of_a_chain_is_a_pass() {
    let steps = texts_chain(&["a1", "", "a2"]);
    let agent = ModelParticipant::new(AGENT, scripted()).instructions(steps);
    let result = talk(&["c0", "c1", "c2"], agent).await;
    let expected = ["C: c0", "A: a1", "C: c1", "C: c2", "A: a2"];
    assert_eq!(texts(&result.conversation), expected);
}

#[tokio::test]
async fn the_initial_message_is_the_first_step_of_a_chain() {
    let steps = texts_chain(&["hello", "c1"]);
    let customer = ModelParticipant::new(CUSTOMER, scripted()).instructions(steps);
    let agent = Script::of_texts(AGENT, ["a1"]);
    let initial = MessageDraft::new(CUSTOMER, "hello");
    let result = Runner::new(customer, agent, initial).run().await;
    assert_eq!(texts(&result.conversation), ["C: hello", "A: a1", "C: c1"]);
}

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u32,
}

#[tokio::test]
async fn calls_of_tools_belong_to_the_message_and_count_as_steps() {
    let turns = Arc::new(Mutex::new(Vec::new()));
    let seen = turns.clone();
    let find = move |order: Order, context: ToolContext| {
        let turn = context.extension::<SimulatedTurn>().unwrap();
        seen.lock().unwrap().push(format!("{} at {}", turn.conversation_id, turn.now));
        future::ready(Ok(format!("order {} is lost", order.id)))
    };
    let mut registry = ToolRegistry::new();
    registry.register("find_order", "Finds an order", find).unwrap();
    let tools = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    let call = json!({ "name": "find_order", "args": { "id": 1001 } });
    let steps = chain(&[
        json!({ "text": "Let me see." }),
        json!({ "tool_call": [call] }),
        json!({ "text": "It is lost." }),
        json!({ "text": "You are welcome." }),
    ]);
    let agent = ModelParticipant::new(AGENT, scripted()).tools(tools).instructions(steps);
    let customer = Script::of_texts(CUSTOMER, ["Hello", "Where is it?", "Thanks"]);
    let customer = Typing::new(customer, Duration::from_secs(1));
    let initial = MessageDraft::new(CUSTOMER, "Hello");
    let result = Runner::new(customer, agent, initial).id("order-7").run().await;
    let expected = [
        "C: Hello",
        "A: Let me see.",
        "C: Where is it?",
        "A: It is lost.",
        "C: Thanks",
        "A: You are welcome.",
    ];
    assert_eq!(texts(&result.conversation), expected);
    let calls: Vec<_> =
        result.conversation.messages.iter().map(|message| message.tool_calls.len()).collect();
    assert_eq!(calls, [0, 0, 0, 1, 0, 0]);
    let call = MadeCall {
        name: "find_order".to_owned(),
        arguments: r#"{"id":1001}"#.to_owned(),
        result: "order 1001 is lost".to_owned(),
    };
    assert_eq!(result.conversation.messages[3].tool_calls, [call]);
    assert_eq!(*turns.lock().unwrap(), ["order-7 at 2000-01-01T00:00:12Z"]);
}

/// A turn of calls directly after a text is not taken for a part of the turn before it.
#[tokio::test]
async fn a_step_with_calls_after_a_pass_of_the_other_side_runs_once() {
    let tools = ToolLoop::new(identity("f"), LoopSettings::default()).unwrap();
    let call = json!({ "tool_call": [{ "name": "f", "args": {} }] });
    let steps = chain(&[json!({ "text": "a1" }), call, json!({ "text": "a2" })]);
    let agent = ModelParticipant::new(AGENT, scripted()).tools(tools).instructions(steps);
    let result = talk(&["c0"], agent).await;
    assert_eq!(texts(&result.conversation), ["C: c0", "A: a1", "A: a2"]);
    assert_eq!(result.conversation.messages[2].tool_calls.len(), 1);
    assert_eq!(result.error, None);
}

#[tokio::test]
async fn a_model_is_told_that_the_other_side_passed() {
    let model = RecordingModel::new(&["a1", ""]);
    talk(&["c0"], ModelParticipant::new(AGENT, model.clone())).await;
    let expected = ["user: c0", "assistant: a1", "system: The customer sent no message."];
    assert_eq!(model.requests()[1], expected);
}

/// Returns the calls of turns without a message, such as `agent after 1: f`.
fn unsent(result: &ConversationResult) -> Vec<String> {
    let calls = result.conversation.unsent_calls.iter();
    calls
        .map(|it| format!("{} after {}: {}", it.sender, it.messages_before, it.call.name))
        .collect()
}

#[tokio::test]
async fn calls_before_a_pass_are_kept() {
    let tools = ToolLoop::new(identity("escalate"), LoopSettings::default()).unwrap();
    let call = json!({ "tool_call": [{ "name": "escalate", "args": {} }] });
    let steps = chain(&[json!({ "text": "a1" }), call]);
    let escalated = Outcome::new("escalated", "A supervisor took over");
    for detection in [Detection::Each, Detection::End] {
        let agent = ModelParticipant::new(AGENT, scripted());
        let agent = agent.tools(tools.clone()).instructions(&steps);
        let customer = Script::of_texts(CUSTOMER, ["c0", "c1", "c2"]);
        let detector = RuleDetector::new("escalated", Condition::tool_called("escalate").by(AGENT));
        let settings = RunnerSettings { detection, ..RunnerSettings::default() };
        let mut runner = Runner::new(customer, agent, MessageDraft::new(CUSTOMER, "c0"))
            .outcomes(Outcomes::new(vec![escalated.clone()]).unwrap())
            .detector(detector)
            .settings(settings);
        let observer = runner.observer();
        let result = runner.run().await;
        assert_eq!(texts(&result.conversation), ["C: c0", "A: a1", "C: c1", "C: c2"]);
        assert_eq!(unsent(&result), ["agent after 3: escalate"]);
        assert_eq!(result.outcome_name(), Some("escalated"));
        assert_eq!(result.end_reason, EndReason::BothPassed);
        assert_eq!(observer.conversation(), result.conversation);
        let json = serde_json::to_value(&result.conversation).unwrap();
        let call = json!({ "sender": "agent", "messages_before": 3, "name": "escalate",
            "arguments": "{}", "result": "{}" });
        assert_eq!(json["unsent_calls"], json!([call]));
        assert_eq!(serde_json::from_value::<Conversation>(json).unwrap(), result.conversation);
    }
}

/// An outcome that ends the conversation does so without a message.
#[tokio::test]
async fn calls_before_a_pass_can_end_the_conversation() {
    let answers = model(|request| match turn(request) {
        0 => Ok(call_response(&[("escalate", "{}")])),
        _ => Ok(text_response("")),
    });
    let tools = ToolLoop::new(identity("escalate"), LoopSettings::default()).unwrap();
    let agent = ModelParticipant::new(AGENT, answers).tools(tools);
    let customer = Script::of_texts(CUSTOMER, ["c0", "c1"]);
    let escalated = Outcome::new("escalated", "A supervisor took over");
    let settings = RunnerSettings { max_messages_after_outcome: 0, ..RunnerSettings::default() };
    let result = Runner::new(customer, agent, MessageDraft::new(CUSTOMER, "c0"))
        .outcomes(Outcomes::new(vec![escalated]).unwrap())
        .detector(RuleDetector::new("escalated", Condition::tool_called("escalate")))
        .settings(settings)
        .run()
        .await;
    assert_eq!(texts(&result.conversation), ["C: c0"]);
    assert_eq!(result.end_reason, EndReason::Outcome);
}

#[tokio::test]
async fn calls_before_an_error_are_kept() {
    let answers = model(|request| match turn(request) {
        0 => Ok(call_response(&[("f", "{}")])),
        _ => Err(ProviderError::new(ErrorKind::Unavailable, "overloaded")),
    });
    let tools = ToolLoop::new(identity("f"), LoopSettings::default()).unwrap();
    let result = talk(&["c0"], ModelParticipant::new(AGENT, answers).tools(tools)).await;
    assert_eq!(result.error.as_deref(), Some("agent: overloaded"));
    assert_eq!(unsent(&result), ["agent after 1: f"]);
}

#[tokio::test]
async fn the_error_of_a_model_ends_the_conversation() {
    let failing = model(|_| Err(ProviderError::new(ErrorKind::Unavailable, "overloaded")));
    let result = talk(&["c0"], ModelParticipant::new(AGENT, failing)).await;
    assert_eq!(result.end_reason, EndReason::ParticipantError);
    assert_eq!(result.error.as_deref(), Some("agent: overloaded"));
}

#[tokio::test]
async fn a_model_that_calls_tools_forever_ends_the_conversation() {
    let forever = model(|_| Ok(call_response(&[("f", "{}")])));
    let tools = ToolLoop::new(identity("f"), LoopSettings::default()).unwrap();
    let result = talk(&["c0"], ModelParticipant::new(AGENT, forever).tools(tools)).await;
    assert_eq!(result.end_reason, EndReason::ParticipantError);
    let error = "agent: the model did not answer: it repeated the same tool calls";
    assert_eq!(result.error.as_deref(), Some(error));
}

#[tokio::test]
async fn a_model_may_be_behind_a_sidecar() {
    let sidecar = Sidecar::with_components(
        "apiVersion: dapr.io/v1alpha1\n\
         kind: Component\n\
         metadata: {name: llm}\n\
         spec: {type: conversation.scripted, version: v1}\n",
    );
    let address = sidecar.grpc.to_string();
    let component = RemoteComponent::connect(&address, Some("llm"), None).await.unwrap();
    let steps = texts_chain(&["a1", "a2"]);
    let agent =
        ModelParticipant::new(AGENT, Arc::new(component)).instructions(steps).external(true);
    let result = talk(&["c0", "c1", "c2"], agent).await;
    assert_eq!(texts(&result.conversation), ["C: c0", "A: a1", "C: c1", "A: a2", "C: c2"]);
    assert_eq!(result.end_reason, EndReason::BothPassed);
}
