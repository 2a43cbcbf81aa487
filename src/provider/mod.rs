//! Providers, which produce the responses.
//!
//! The responses of a [`Provider`] depend only on the request and on the provider's configuration
//! and declared counters, not on a clock or on randomness. A provider knows nothing about the
//! transport of a call.

pub(crate) mod faults;
pub mod scripted;

pub use mynah_core::provider::{
    CallContext, Moment, Provider, ProviderError, StreamOptions, deltas,
};
pub(crate) use mynah_core::provider::{
    CancelOnDrop, Cancellation, HistoryHash, ResultScrubber, Unseen, call, conversation_hash,
    counters, deadline_exceeded, ids, recently_used, sessions, stream, turns, usage, waiting,
};
pub use mynah_echo as echo;
pub(crate) use mynah_echo::embedding;
