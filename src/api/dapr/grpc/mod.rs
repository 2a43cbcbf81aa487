//! The gRPC surface: Dapr's runtime service, health and reflection.

mod call_body;
mod framing;
mod methods;
mod refusal;
mod runtime;
mod service;

pub(crate) use self::service::Service;
