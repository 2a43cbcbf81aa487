//! Dapr's runtime API, over gRPC and HTTP.

pub mod grpc;
pub mod http;
