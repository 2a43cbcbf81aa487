//! Dapr's runtime API, over gRPC and HTTP.

pub(crate) mod grpc;
pub(super) mod http;
pub(super) mod metadata;
