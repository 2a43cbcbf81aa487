//! Passes on what mynah does not serve to the daprd behind it, without decoding it.

mod grpc;
mod headers;
mod http;
mod listing;
mod pool;

pub(crate) use self::{grpc::GrpcForward, http::HttpForward, listing::Listing};
