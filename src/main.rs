//! The `mynah` program.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Each call makes many short-lived allocations, for which mimalloc is faster than the system's
/// allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    mynah::run(std::env::args_os())
}
