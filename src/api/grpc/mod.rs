//! What the gRPC surfaces share: bodies, methods, rejected calls and reflection.

pub(super) mod call_body;
pub(super) mod incoming;
pub(super) mod method;
pub(super) mod refusal;
