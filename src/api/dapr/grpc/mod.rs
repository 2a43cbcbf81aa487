//! The gRPC surface: Dapr's runtime service, health and reflection.

mod health;
mod methods;
mod runtime;
mod service;

pub(crate) use self::service::Service;
