//! Tests of Dapr's Rust SDK with mynah.

#![cfg(test)]
#![allow(deprecated, reason = "clients still call Alpha1, which Dapr deprecates")]

mod access;
mod conversation;
mod messages;
mod tools;

use std::env;

use dapr::client::{ClientOptions, TonicClientWithAuth};

type Client = dapr::Client<TonicClientWithAuth>;

/// Connects the SDK's default client.
async fn connect() -> Client {
    Client::new().await.unwrap()
}

/// Connects a client to the sidecar that requires a token.
async fn connect_guarded(token: &str) -> Client {
    let address = format!("http://127.0.0.1:{}", variable("GUARDED_GRPC_PORT"));
    let options = ClientOptions::new().with_address(address).with_api_token(token);
    Client::from_options(options).await.unwrap()
}

#[expect(clippy::disallowed_methods, reason = "the suite gets its addresses from the environment")]
fn variable(name: &str) -> String {
    env::var(name).expect(name)
}

/// Returns the error as text, because the SDK does not expose the status.
fn error_of<T: std::fmt::Debug>(answer: Result<T, dapr::error::Error>) -> String {
    format!("{:?}", answer.unwrap_err())
}
