//! Surfaces over gRPC: Dapr's runtime service, health, and reflection.

mod refusal;
mod runtime;
mod service;
mod timely;

pub(crate) use self::service::Service;
