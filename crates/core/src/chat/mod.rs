//! The types that make up a conversation.
//!
//! A [`Provider`](crate::provider::Provider) turns a [`Request`] into a [`Response`]. These types
//! do not depend on a transport, a file format or a clock.

mod chunks;
mod delta;
mod error;
mod history;
mod message;
mod provider_error;
mod request;
mod response;
mod tool;

pub use crate::base::delivery::Delivery;
pub use chunks::{ChunkLengths, ChunkSize, Chunks};
pub use delta::Delta;
pub use error::{Error, InvalidParams};
pub use history::HistoryError;
pub use history::check_history;
pub use message::{Attachment, Message, Role};
pub use provider_error::{ErrorDetails, ErrorKind, ProviderError};
pub use request::{CHOICES, Parameter, Request, ToolChoice};
pub use response::{Choice, FinishReason, MissingPart, Response, Usage};
pub use tool::{LazyJson, Tool, ToolCall};
