//! One request in, one echo out.

use mynah::wire::proto::{
    ConversationInputAlpha2, ConversationMessage, ConversationMessageContent,
    ConversationMessageOfUser, ConversationRequestAlpha2, conversation_message::MessageTypes,
};

use crate::support::Sidecar;

#[tokio::test]
async fn the_last_user_message_comes_back() {
    let sidecar = Sidecar::start();
    let user = ConversationMessageOfUser {
        name: None,
        content: vec![ConversationMessageContent { text: "Hello, world!".into() }],
    };
    let message = ConversationMessage { message_types: Some(MessageTypes::OfUser(user)) };
    let request = ConversationRequestAlpha2 {
        name: "echo".into(),
        inputs: vec![ConversationInputAlpha2 { messages: vec![message], scrub_pii: None }],
        ..Default::default()
    };
    let answer = sidecar.client().await.converse_alpha2(request).await.unwrap().into_inner();
    let choice = &answer.outputs[0].choices[0];
    assert_eq!(choice.message.as_ref().unwrap().content, "Hello, world!");
    assert_eq!(choice.finish_reason, "stop");
}
