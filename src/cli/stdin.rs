//! Waits until standard input is closed.

use std::io;

/// Reads standard input to its end.
pub(super) fn read_to_end() {
    // An error is also an end.
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
}

/// Waits until the writer of a pipe or the terminal on standard input is gone. Reads nothing, since the
/// input belongs to another process. Other files are never closed.
#[cfg(unix)]
pub(super) fn wait_until_closed() {
    use rustix::{
        event::{PollFd, PollFlags, poll},
        io::Errno,
    };
    let stdin = io::stdin();
    // That the other end is gone is always reported.
    let mut watched = [PollFd::new(&stdin, PollFlags::empty())];
    while poll(&mut watched, None) == Err(Errno::INTR) {}
}

/// Waits for ever: the input belongs to another process.
#[cfg(not(unix))]
pub(super) fn wait_until_closed() {
    loop {
        std::thread::park();
    }
}
