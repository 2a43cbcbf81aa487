//! The gRPC surface: Dapr's runtime service, health and reflection.

mod deadline_body;
mod refusal;
mod runtime;
mod service;

pub(crate) use self::service::Service;
