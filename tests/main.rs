//! Everything that is tested through the front door: the real program, real sockets, real clients.

mod support;

// What each surface answers.
mod converse;
