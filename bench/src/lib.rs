//! Code shared by the bare servers and the load generator.

pub mod bare;
pub mod cases;
pub mod serve;

/// Dapr's runtime API as tonic generates it by default. mynah's own types leave schemas undecoded,
/// from which a bare server must not profit.
#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    reason = "generated code"
)]
pub mod proto {
    tonic::include_proto!("dapr.proto.runtime.v1");
}
