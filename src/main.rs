//! The `mynah` program.

use std::{ffi::c_long, process::ExitCode};

use libmimalloc_sys::{mi_option_set, mi_option_t};
use mimalloc::MiMalloc;

/// Each call makes many short-lived allocations, for which mimalloc is faster than the system's
/// allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The option for the time after which freed memory is returned to the system
/// (`mi_option_purge_delay` in `mimalloc.h`, for which the crate has no constant).
const PURGE_DELAY: mi_option_t = 15;
/// In milliseconds. With the default of a second, a few large requests that follow each other take as
/// much memory as if they were served at the same time.
const PURGE_DELAY_VALUE: c_long = 10;

fn main() -> ExitCode {
    return_memory_soon();
    mynah::run_executable(std::env::args_os())
}

#[expect(unsafe_code, reason = "a call into C")]
fn return_memory_soon() {
    // SAFETY: sets one number while no other thread runs; mimalloc ignores unknown options.
    unsafe { mi_option_set(PURGE_DELAY, PURGE_DELAY_VALUE) }
}
