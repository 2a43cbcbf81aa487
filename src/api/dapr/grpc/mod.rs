//! The gRPC surface: Dapr's runtime service, health and reflection.

mod call_body;
mod framing;
mod health;
mod methods;
mod refusal;
mod runtime;
mod service;
mod until_drain;

pub(crate) use self::service::Service;
