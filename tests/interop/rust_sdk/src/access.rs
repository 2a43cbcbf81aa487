//! The token, which the SDK's interceptor brings.

use crate::{
    connect_guarded,
    messages::{ask, only_choice, text, user},
    refusal, variable,
};

#[tokio::test]
async fn the_right_token_is_let_in() {
    let mut client = connect_guarded(&variable("GUARDED_API_TOKEN")).await;
    let answer = client.converse_alpha2(ask(vec![user("Hello")]).build()).await.unwrap();
    assert_eq!(text(only_choice(&answer)), "Hello");
    assert_eq!(client.get_metadata().await.unwrap().id, "mynah");
}

#[tokio::test]
async fn no_token_and_a_wrong_one_are_refused() {
    // Of an empty token the interceptor makes none.
    for token in ["", "wrong"] {
        let mut client = connect_guarded(token).await;
        let refusal = refusal(client.converse_alpha2(ask(vec![user("Hello")]).build()).await);
        assert!(refusal.contains("Unauthenticated"), "{refusal}");
        assert!(refusal.contains("Unauthorized"), "{refusal}");
    }
}
