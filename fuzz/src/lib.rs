//! Fuzz targets. Each one takes arbitrary bytes and panics if a property does not hold. It returns
//! `true` if the input was valid enough to be answered. `cargo fuzz` and mynah's tests run the same
//! targets.

pub mod chain;
pub mod conditions;
pub mod json;
pub mod matching;
pub mod protobuf;
pub mod rules;
pub mod schema;
pub mod scrubber;
pub mod template;
pub mod yaml;

mod choices;

use std::sync::Arc;

use futures_util::{FutureExt, StreamExt};
use mynah::{
    chat,
    internals::{
        api::pipeline::{converse, stream},
        component,
        engine::Engine,
        wire::{
            error::Error,
            proto::{self, conversation_stream_response_alpha2::Message},
        },
    },
    provider::CallContext,
};

type Answer = Result<proto::ConversationResponseAlpha2, Error>;

/// Returns echo's answer, or `None` if the request is so large that it runs on another thread.
/// Checks that the answer is the same for a repeated call and for a stream.
fn answer(mut request: proto::ConversationRequestAlpha2) -> Option<Answer> {
    let engine = Arc::new(Engine::new("fuzz", &[component::built_in()]));
    request.name = "echo".to_owned();
    let first = converse(&engine, request.clone(), CallContext::default()).now_or_never()?;
    let repeated = converse(&engine, request.clone(), CallContext::default()).now_or_never()?;
    assert_eq!(first, repeated, "a repeated request got a different answer");
    match stream(&engine, request, CallContext::default()).now_or_never()? {
        Ok(stream) => assert_eq!(streamed(stream.collect::<Vec<_>>().now_or_never()?), first),
        Err(error) => assert_eq!(Err(error), first),
    }
    Some(first)
}

/// Returns the final answer of a stream. Checks that its text equals the concatenated chunks.
fn streamed(messages: Vec<Result<proto::ConversationStreamResponseAlpha2, chat::Error>>) -> Answer {
    let mut text = String::new();
    for message in messages {
        match message?.message.expect("a chunk or the end") {
            Message::Chunk(chunk) => text += &chunk.content,
            Message::Complete(proto::ConversationStreamCompleteAlpha2 { context_id, outputs }) => {
                let message = outputs[0].choices[0].message.as_ref().expect("a message");
                assert_eq!(message.content, text);
                return Ok(proto::ConversationResponseAlpha2 { context_id, outputs });
            }
        }
    }
    panic!("the stream has no final answer");
}
