//! Proto JSON in daprd's dialect: reads lowerCamelCase and snake_case, passes over unknown fields,
//! prints lowerCamelCase, 64-bit integers as text, no defaults, maps by key.
//!
//! There are two ways. [`read`] and [`write()`] know any message by its descriptor: they are the truth,
//! and slow. [`read_request`] and [`write_response`] do the same for the messages of conversations:
//! serde reads what is regular straight into the message (`reading`, `requests`), and prints it
//! straight from there (`printing`, `responses`). Whatever is irregular, a mistake above all, fails
//! there without a word and goes the exact way, which reads it or says what is wrong.

mod exact;
mod printing;
mod reading;
mod requests;
mod responses;
mod structs;
#[cfg(test)]
mod tests;

use prost::{Message, Name};

pub(crate) use self::exact::{descriptor, value};
pub use self::{
    exact::{read, write},
    printing::Members,
    reading::Fields,
};
use super::error::Error;

/// Reads a request as [`read`] does, and mostly faster.
///
/// ```
/// use mynah::wire::{json, proto::ConversationRequest};
/// let request: ConversationRequest = json::read_request(br#"{"inputs": [{"content": "Hi"}]}"#)?;
/// assert_eq!(request.inputs[0].content, "Hi");
/// # Ok::<(), mynah::wire::error::Error>(())
/// ```
pub fn read_request<M: Message + Name + Fields>(body: &[u8]) -> Result<M, Error> {
    reading::read(body).or_else(|_| read(body))
}

/// Prints a response as [`write()`] does, and mostly faster.
///
/// ```
/// use mynah::wire::{json, proto::ConversationResponse};
/// let response = ConversationResponse { context_id: Some("c".to_owned()), outputs: vec![] };
/// assert_eq!(json::write_response(&response)?, r#"{"contextID":"c"}"#);
/// # Ok::<(), mynah::wire::error::Error>(())
/// ```
pub fn write_response<M: Message + Name + Members>(message: &M) -> Result<String, Error> {
    printing::write(message).or_else(|_| write(message))
}
