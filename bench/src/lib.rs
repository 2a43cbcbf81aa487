//! Code shared by the bare servers and the load generator.

pub mod bare;
pub mod cases;
pub mod serve;
