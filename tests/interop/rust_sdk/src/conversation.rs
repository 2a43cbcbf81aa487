//! Tests of both versions of the call, of metadata and of errors.

use dapr::client::{
    ConversationInputAlpha2Builder, ConversationInputBuilder, ConversationRequestAlpha2Builder,
    ConversationRequestBuilder,
};
use serde_json::{Value as Json, json};

use crate::{
    connect, error_of,
    messages::{inputs, object, only_choice, prompt, text, user},
};

#[tokio::test]
async fn metadata_lists_the_component() {
    let metadata = connect().await.get_metadata().await.unwrap();
    assert_eq!(metadata.id, "mynah");
    let [component] = &metadata.registered_components[..] else { panic!("{metadata:?}") };
    assert_eq!((&*component.name, &*component.r#type), ("echo", "conversation.echo"));
    assert_eq!(metadata.extended_metadata["daprRuntimeVersion"], "1.18.0");
}

#[tokio::test]
async fn alpha1_echoes_the_last_user_message() {
    let inputs = ["First", "Hello, world!"].map(|text| ConversationInputBuilder::new(text).build());
    let request = ConversationRequestBuilder::new("echo", inputs.into()).build();
    let answer = connect().await.converse_alpha1(request).await.unwrap();
    let [output] = &answer.outputs[..] else { panic!("{answer:?}") };
    assert_eq!(output.result, "Hello, world!");
}

#[tokio::test]
async fn alpha2_echoes_the_last_user_message() {
    let request = prompt(vec![user("Hello, world!")]).with_temperature(0.0).build();
    let answer = connect().await.converse_alpha2(request).await.unwrap();
    let choice = only_choice(&answer);
    assert_eq!((text(choice), &*choice.finish_reason), ("Hello, world!", "stop"));
    let output = &answer.outputs[0];
    assert_eq!(output.model.as_deref(), Some("echo"));
    let usage = output.usage.as_ref().unwrap();
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (3, 3, 6));
}

#[tokio::test]
async fn scrubs_personal_data_in_requests_and_responses() {
    let message = || vec![user("Mail ann@example.org")];
    let input = ConversationInputAlpha2Builder::new(message()).with_scrub_pii(true).build();
    let scrubbed_request = ConversationRequestAlpha2Builder::new("echo", vec![input]).build();
    let scrubbed_response = prompt(message()).with_scrub_pii(true).build();
    for request in [scrubbed_request, scrubbed_response] {
        let answer = connect().await.converse_alpha2(request).await.unwrap();
        assert_eq!(text(only_choice(&answer)), "Mail <EMAIL_ADDRESS>");
    }
}

#[tokio::test]
async fn structured_answer_matches_its_schema() {
    let schema = json!({
        "type": "object",
        "properties": { "city": { "type": "string" }, "degrees": { "type": "integer" } },
        "required": ["city", "degrees"],
    });
    let request =
        prompt(vec![user("Report, please")]).with_response_format(object(&schema)).build();
    let answer = connect().await.converse_alpha2(request).await.unwrap();
    let content: Json = serde_json::from_str(text(only_choice(&answer))).unwrap();
    assert_eq!(content, json!({ "city": "San Francisco", "degrees": 42 }));
}

#[tokio::test]
async fn rejects_too_large_message() {
    let request = prompt(vec![user(&"x".repeat(4 << 20))]).build();
    let error = error_of(connect().await.converse_alpha2(request).await);
    assert!(error.contains("ResourceExhausted"), "{error}");
}

#[tokio::test]
async fn rejects_invalid_requests() {
    let hello = || inputs(vec![user("Hello")]);
    let request = |name, inputs| ConversationRequestAlpha2Builder::new(name, inputs).build();
    let mut no_tools = request("echo", hello());
    no_tools.tool_choice = Some("required".to_owned());
    for (request, reason) in [
        (request("nope", hello()), "failed finding conversation component nope"),
        (request("echo", vec![]), "missing inputs in request"),
        (no_tools, "tool choice must be"),
    ] {
        let error = error_of(connect().await.converse_alpha2(request).await);
        assert!(error.contains("InvalidArgument") && error.contains(reason), "{error}");
    }
}
