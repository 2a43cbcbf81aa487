//! The `mynah` program.

fn main() {}
