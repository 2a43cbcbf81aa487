//! OpenAI's Embeddings API.
//!
//! Source: <https://platform.openai.com/docs/api-reference/embeddings>.

mod answer;
mod body;

use bytes::Bytes;

use self::body::{Body, Input};
use super::{FromBody, invalid, read::read};
use crate::{
    provider::{Cancellation, echo::embedding::EmbeddingInput},
    wire::error::Error,
};

/// Maximum number of texts in a request, which is OpenAI's.
const MAX_INPUTS: usize = 2048;
const DEFAULT_DIMENSIONS: u64 = 1536;
/// The most that OpenAI's models have.
const MAX_DIMENSIONS: u64 = 3072;

/// A request for embeddings.
#[derive(Debug)]
pub(crate) struct EmbeddingRequest {
    /// The model that the request names.
    model: String,
    inputs: Vec<EmbeddingInput>,
    dimensions: usize,
    format: Format,
}

/// How a vector is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Float,
    /// The numbers as 32-bit floats in little-endian order, in Base64.
    Base64,
}

impl EmbeddingRequest {
    /// Returns the model that the request names. May be empty.
    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// Sets the component that answers.
    pub(crate) fn set_component(&mut self, name: String) {
        if self.model.is_empty() {
            self.model = name;
        }
    }

    /// Returns roughly the memory for the answer in bytes.
    pub(crate) fn answer_size(&self) -> usize {
        // A buffer may be twice as long as its content.
        const FLOAT: usize = 32;
        const BASE64: usize = 12;
        const EMBEDDING: usize = 128;
        let number = if self.format == Format::Float { FLOAT } else { BASE64 };
        self.inputs.len() * (self.dimensions * number + EMBEDDING)
    }

    /// Makes the embeddings and encodes them as JSON.
    ///
    /// # Errors
    ///
    /// Fails if the call is cancelled.
    pub(crate) fn answer(&self, cancellation: &Cancellation) -> Result<String, Error> {
        answer::encode(self, cancellation)
    }
}

impl FromBody for EmbeddingRequest {
    fn from_body(body: &Bytes) -> Result<Self, Error> {
        let body: Body<'_> = read(body)?;
        let missing = || invalid("input", "missing; expected a text or an array of texts");
        Ok(Self {
            inputs: inputs(body.input.ok_or_else(missing)?)?,
            dimensions: dimensions(body.dimensions)?,
            format: format(body.encoding_format.as_deref())?,
            model: body.model.map(|model| model.into_owned()).unwrap_or_default(),
        })
    }
}

/// Returns the texts of a request: one text, one list of tokens, or an array of these.
fn inputs(input: Input) -> Result<Vec<EmbeddingInput>, Error> {
    let items = match input {
        Input::Items(items) if !matches!(items.first(), Some(Input::Token(_))) => items,
        single => return Ok(vec![embedding_input(single, "input")?]),
    };
    if items.is_empty() {
        return Err(invalid("input", "empty; expected a text or an array of texts"));
    }
    if items.len() > MAX_INPUTS {
        return Err(invalid(
            "input",
            format!("{} texts; expected at most {MAX_INPUTS}", items.len()),
        ));
    }
    let inputs = items.into_iter().enumerate();
    inputs.map(|(at, item)| embedding_input(item, &format!("input[{at}]"))).collect()
}

fn embedding_input(input: Input, param: &str) -> Result<EmbeddingInput, Error> {
    match input {
        Input::Text(text) if text.is_empty() => Err(invalid(param, "the text is empty")),
        Input::Text(text) => Ok(EmbeddingInput::Text(text)),
        Input::Items(items) if items.is_empty() => Err(invalid(param, "there are no tokens")),
        Input::Items(items) => {
            let token = |item| match item {
                Input::Token(token) => Ok(token),
                _ => Err(invalid(param, "expected an array of tokens only")),
            };
            items.into_iter().map(token).collect::<Result<_, _>>().map(EmbeddingInput::Tokens)
        }
        Input::Token(_) => Err(invalid(param, "expected a text or an array of tokens")),
    }
}

fn dimensions(dimensions: Option<u64>) -> Result<usize, Error> {
    let dimensions = dimensions.unwrap_or(DEFAULT_DIMENSIONS);
    if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
        let reason = format!("{dimensions} is out of range; expected 1 to {MAX_DIMENSIONS}");
        return Err(invalid("dimensions", reason));
    }
    Ok(dimensions as usize)
}

fn format(name: Option<&str>) -> Result<Format, Error> {
    match name {
        None | Some("float") => Ok(Format::Float),
        Some("base64") => Ok(Format::Base64),
        Some(name) => {
            let reason = format!("{name:?} is not supported; expected \"float\" or \"base64\"");
            Err(invalid("encoding_format", reason))
        }
    }
}
