//! Dapr's Rust SDK against mynah.

#![cfg(test)]
#![allow(deprecated, reason = "Dapr deprecates Alpha1, and its clients still call it")]

mod access;
mod conversation;
mod messages;
mod tools;

use std::env;

use dapr::client::{ClientOptions, TonicClientWithAuth};

type Client = dapr::Client<TonicClientWithAuth>;

/// The SDK's own client, as the environment describes it.
async fn connect() -> Client {
    Client::new().await.expect("a connection")
}

/// A client of the sidecar that asks for a token.
async fn connect_guarded(token: &str) -> Client {
    let address = format!("http://127.0.0.1:{}", variable("GUARDED_GRPC_PORT"));
    let options = ClientOptions::new().with_address(address).with_api_token(token);
    Client::from_options(options).await.expect("a connection")
}

#[expect(clippy::disallowed_methods, reason = "that is how a suite is told where to look")]
fn variable(name: &str) -> String {
    env::var(name).expect(name)
}

/// What the SDK shows of an error; the status within is its own affair.
fn refusal<T: std::fmt::Debug>(answer: Result<T, dapr::error::Error>) -> String {
    format!("{:?}", answer.expect_err("a refusal"))
}
