//! The `mynah` program.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A call allocates much and frees it soon, which mimalloc does faster than the system's allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    mynah::run(std::env::args_os())
}
