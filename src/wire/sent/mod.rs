//! Requests as the client has sent them, for the journal.

mod read;
mod request;

pub(crate) use self::request::{SentApi, SentRequest, summary};
