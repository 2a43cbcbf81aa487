//! What the gRPC surfaces share: bodies, methods, rejected calls and reflection.

pub(super) mod call_body;
mod framing;
pub(super) mod method;
pub(super) mod reflection;
pub(super) mod refusal;
pub(super) mod until_drain;
