//! Components by name, and what happens to every call on its way to one.

pub mod dispatch;
pub mod metrics;
