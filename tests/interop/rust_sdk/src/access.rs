//! Tests of the API token, which the SDK's interceptor adds to calls.

use crate::{
    connect_guarded, error_of,
    messages::{only_choice, prompt, text, user},
    variable,
};

#[tokio::test]
async fn accepts_the_correct_token() {
    let mut client = connect_guarded(&variable("GUARDED_API_TOKEN")).await;
    let answer = client.converse_alpha2(prompt(vec![user("Hello")]).build()).await.unwrap();
    assert_eq!(text(only_choice(&answer)), "Hello");
    assert_eq!(client.get_metadata().await.unwrap().id, "mynah");
}

#[tokio::test]
async fn rejects_a_missing_or_wrong_token() {
    // If the token is empty, the interceptor sends no header.
    for token in ["", "wrong"] {
        let mut client = connect_guarded(token).await;
        let error = error_of(client.converse_alpha2(prompt(vec![user("Hello")]).build()).await);
        assert!(error.contains("Unauthenticated"), "{error}");
        assert!(error.contains("Unauthorized"), "{error}");
    }
}
