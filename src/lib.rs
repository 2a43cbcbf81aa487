//! mynah stands where the language model stands in a Dapr application.

pub mod chat;
pub mod provider;
