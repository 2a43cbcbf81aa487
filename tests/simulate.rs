//! Simulated conversations.

mod runs;
