//! Encodes embeddings.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeSeq},
};

use super::{EmbeddingRequest, Format};
use crate::{
    provider::{Cancellation, echo::embedding::EmbeddingInput},
    wire::error::Error,
};

#[derive(Serialize)]
struct Document<'a> {
    object: &'static str,
    data: Data<'a>,
    model: &'a str,
    usage: Usage,
}

/// The embeddings. Each is made when it is encoded: together, they can be large.
struct Data<'a> {
    request: &'a EmbeddingRequest,
    cancellation: &'a Cancellation,
}

#[derive(Serialize)]
struct Embedding {
    object: &'static str,
    index: usize,
    embedding: Vector,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Vector {
    Float(Vec<f32>),
    Base64(String),
}

#[derive(Serialize)]
struct Usage {
    prompt_tokens: u64,
    total_tokens: u64,
}

/// Makes the embeddings and encodes them as JSON. Stops if the call is cancelled.
pub(super) fn encode(
    request: &EmbeddingRequest,
    cancellation: &Cancellation,
) -> Result<String, Error> {
    let tokens = request.inputs.iter().map(EmbeddingInput::tokens).sum();
    let document = Document {
        object: "list",
        data: Data { request, cancellation },
        model: &request.model,
        usage: Usage { prompt_tokens: tokens, total_tokens: tokens },
    };
    serde_json::to_string(&document).map_err(|error| Error::BodyRead(error.to_string()))
}

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let inputs = &self.request.inputs;
        let mut data = serializer.serialize_seq(Some(inputs.len()))?;
        for (index, input) in inputs.iter().enumerate() {
            if self.cancellation.is_cancelled() {
                return Err(S::Error::custom("the call was cancelled"));
            }
            let vector = input.vector(self.request.dimensions);
            let embedding = Vector::new(vector, self.request.format);
            data.serialize_element(&Embedding { object: "embedding", index, embedding })?;
        }
        data.end()
    }
}

impl Vector {
    fn new(vector: Vec<f32>, format: Format) -> Self {
        match format {
            Format::Float => Self::Float(vector),
            Format::Base64 => {
                let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
                Self::Base64(BASE64_STANDARD.encode(bytes))
            }
        }
    }
}
