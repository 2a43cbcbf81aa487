//! Both versions of the call, metadata, and what is wrong.

use dapr::client::{
    ConversationInputAlpha2Builder, ConversationInputBuilder, ConversationRequestAlpha2Builder,
    ConversationRequestBuilder,
};
use serde_json::{Value as Json, json};

use crate::{
    connect,
    messages::{ask, inputs, object, only_choice, text, user},
    refusal,
};

#[tokio::test]
async fn metadata_names_the_component() {
    let metadata = connect().await.get_metadata().await.unwrap();
    assert_eq!(metadata.id, "mynah");
    let [component] = &metadata.registered_components[..] else { panic!("{metadata:?}") };
    assert_eq!((&*component.name, &*component.r#type), ("echo", "conversation.echo"));
    assert_eq!(metadata.extended_metadata["daprRuntimeVersion"], "1.18.0");
}

#[tokio::test]
async fn alpha1_echoes() {
    let inputs = ["First", "Hello, world!"].map(|text| ConversationInputBuilder::new(text).build());
    let request = ConversationRequestBuilder::new("echo", inputs.into()).build();
    let answer = connect().await.converse_alpha1(request).await.unwrap();
    let [output] = &answer.outputs[..] else { panic!("{answer:?}") };
    assert_eq!(output.result, "Hello, world!");
}

#[tokio::test]
async fn alpha2_echoes() {
    let request = ask(vec![user("Hello, world!")]).with_temperature(0.0).build();
    let answer = connect().await.converse_alpha2(request).await.unwrap();
    let choice = only_choice(&answer);
    assert_eq!((text(choice), &*choice.finish_reason), ("Hello, world!", "stop"));
    let output = &answer.outputs[0];
    assert_eq!(output.model.as_deref(), Some("echo"));
    let usage = output.usage.as_ref().unwrap();
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (3, 3, 6));
}

#[tokio::test]
async fn personal_data_is_scrubbed_on_the_way_in_and_out() {
    let message = || vec![user("Mail ann@example.org")];
    let input = ConversationInputAlpha2Builder::new(message()).with_scrub_pii(true).build();
    let on_the_way_in = ConversationRequestAlpha2Builder::new("echo", vec![input]).build();
    let on_the_way_out = ask(message()).with_scrub_pii(true).build();
    for request in [on_the_way_in, on_the_way_out] {
        let answer = connect().await.converse_alpha2(request).await.unwrap();
        assert_eq!(text(only_choice(&answer)), "Mail <EMAIL_ADDRESS>");
    }
}

#[tokio::test]
async fn a_structured_answer_fits_its_schema() {
    let schema = json!({
        "type": "object",
        "properties": { "city": { "type": "string" }, "degrees": { "type": "integer" } },
        "required": ["city", "degrees"],
    });
    let request = ask(vec![user("Report, please")]).with_response_format(object(&schema)).build();
    let answer = connect().await.converse_alpha2(request).await.unwrap();
    let content: Json = serde_json::from_str(text(only_choice(&answer))).unwrap();
    assert_eq!(content, json!({ "city": "San Francisco", "degrees": 42 }));
}

#[tokio::test]
async fn a_message_that_is_too_large_is_refused() {
    let request = ask(vec![user(&"x".repeat(4 << 20))]).build();
    let refusal = refusal(connect().await.converse_alpha2(request).await);
    assert!(refusal.contains("ResourceExhausted"), "{refusal}");
}

#[tokio::test]
async fn what_is_wrong_is_an_invalid_argument() {
    let hello = || inputs(vec![user("Hello")]);
    let request = |name, inputs| ConversationRequestAlpha2Builder::new(name, inputs).build();
    let mut unknown_tool = request("echo", hello());
    unknown_tool.tool_choice = Some("required".to_owned());
    for (request, reason) in [
        (request("nope", hello()), "failed finding conversation component nope"),
        (request("echo", vec![]), "missing inputs in request"),
        (unknown_tool, "tool choice must be"),
    ] {
        let refusal = refusal(connect().await.converse_alpha2(request).await);
        assert!(refusal.contains("InvalidArgument") && refusal.contains(reason), "{refusal}");
    }
}
