//! What the bare servers and the load generator share: the [`cases`], and the shape of a server.

pub mod bare;
pub mod cases;
pub mod shape;
