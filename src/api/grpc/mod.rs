//! What the gRPC surfaces share: bodies, methods, rejected calls and reflection.

pub(super) mod call_body;
mod delivery;
mod framing;
pub(super) mod incoming;
pub(super) mod method;
pub(super) mod protocol;
pub(super) mod reflection;
mod refusal;
mod until_drain;
