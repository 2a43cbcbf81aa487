//! Passes on what mynah does not serve to the daprd behind it, without decoding it.

mod grpc;
mod grpc_body;
mod headers;
mod http;
mod http_client;
mod listing;
mod pool;
mod upgrade;

pub(crate) use self::{grpc::GrpcForward, http::HttpForward, listing::Listing};
