//! OpenAI's API, as far as clients of a conversation need it.

mod completions;
mod embeddings;
mod handler;
mod responses;
mod service;

pub(super) use self::service::{Service, serves};
