//! OpenAI's Embeddings API.
//!
//! Source: <https://platform.openai.com/docs/api-reference/embeddings>.

use std::{borrow::Cow, fmt};

use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, SeqAccess, Unexpected, Visitor, value::SeqAccessDeserializer},
    ser::{Error as _, SerializeSeq},
};

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
    pub(crate) model: String,
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
        let tokens = self.inputs.iter().map(EmbeddingInput::tokens).sum();
        let document = Document {
            object: "list",
            data: Data { request: self, cancellation },
            model: &self.model,
            usage: Usage { prompt_tokens: tokens, total_tokens: tokens },
        };
        serde_json::to_string(&document).map_err(|error| Error::BodyRead(error.to_string()))
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

/// The body of a request.
#[derive(Debug, Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
    input: Option<Input>,
    #[serde(borrow)]
    encoding_format: Option<Cow<'a, str>>,
    dimensions: Option<u64>,
}

/// What is to be embedded, or one item of an array of it.
#[derive(Debug)]
enum Input {
    Text(String),
    Token(u64),
    Items(Vec<Self>),
}

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InputVisitor)
    }
}

struct InputVisitor;

impl<'de> Visitor<'de> for InputVisitor {
    type Value = Input;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, an array of tokens, or an array of these")
    }

    fn visit_str<E>(self, text: &str) -> Result<Input, E> {
        Ok(Input::Text(text.to_owned()))
    }

    fn visit_u64<E>(self, token: u64) -> Result<Input, E> {
        Ok(Input::Token(token))
    }

    fn visit_i64<E: de::Error>(self, token: i64) -> Result<Input, E> {
        let token = u64::try_from(token);
        token
            .map(Input::Token)
            .map_err(|_| E::invalid_value(Unexpected::Other("a negative number"), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Input, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(items)).map(Input::Items)
    }
}

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
