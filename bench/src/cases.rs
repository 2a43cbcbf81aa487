//! What is asked of the servers, and what a right answer is.

use anyhow::{Context, ensure};
use mynah::wire::{json, proto::ConversationRequestAlpha2};
use serde_json::{Value, json};

/// The text of the short message.
pub const SHORT_TEXT: &str = "Hello, mynah!";
/// Pieces of the streamed answer, without the one that completes it.
pub const CHUNKS: usize = 1000;
/// A piece of the answer that a bare server streams.
pub const BARE_CHUNK: &str = " constant";
/// Where JSON is posted to.
pub const JSON_PATH: &str = "/v1.0-alpha2/conversation/echo/converse";

/// Messages of the long history, and the bytes of each.
const MESSAGES: usize = 20;
const MESSAGE_BYTES: usize = 500;
const QUESTION: &str = "What is the weather in Paris?";
/// No word of it is in the name of a tool.
const PROSE: &str = "The old bridge over the stream was painted green last spring, and since then \
    the children of both villages meet there after school. They count the boats, share their bread \
    with the ducks, and argue about which of the seven hills is the highest. On clear evenings \
    someone brings a guitar. ";

/// What one call asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// A message of three words over gRPC.
    Short,
    /// A short question and five tools, of which it mentions one.
    Tools,
    /// A history of 20 messages, 10 kB.
    History,
    /// The same, with the five tools: 13 kB.
    HistoryWithTools,
    /// An answer in 1,000 pieces.
    Stream,
    /// The short message over HTTP, as JSON.
    Json,
}

/// What came back.
#[derive(Debug)]
pub struct Heard {
    /// The texts that came before the answer; none of a unary call.
    pub chunks: Vec<String>,
    /// The answer in proto JSON.
    pub answer: Value,
}

impl Case {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Short, Self::Tools, Self::History, Self::HistoryWithTools, Self::Stream, Self::Json];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Short => "short message",
            Self::Tools => "five tools, one matches",
            Self::History => "long history",
            Self::HistoryWithTools => "long history, five tools",
            Self::Stream => "stream of 1,000 chunks",
            Self::Json => "short message, HTTP JSON",
        }
    }

    /// The request, as proto JSON.
    pub fn json(self) -> Value {
        match self {
            Self::Short | Self::Json => request(&[user(SHORT_TEXT)], &[]),
            Self::Tools => request(&[user(QUESTION)], &tools()),
            Self::History => request(&history(), &[]),
            Self::HistoryWithTools => request(&history(), &tools()),
            Self::Stream => request(&[user(&words())], &[]),
        }
    }

    /// The request, as a message.
    pub fn message(self) -> anyhow::Result<ConversationRequestAlpha2> {
        Ok(json::read(self.json().to_string().as_bytes())?)
    }

    /// The answer that a call of so many pieces is divided by.
    pub fn pieces(self) -> f64 {
        if self == Self::Stream { CHUNKS as f64 } else { 1.0 }
    }

    /// Fails unless this is what a bare server has to answer: the last text, or its own stream.
    pub fn check_bare(self, heard: &Heard) -> anyhow::Result<()> {
        match self {
            Self::Short | Self::Json => heard.check(SHORT_TEXT, 0),
            Self::Tools => heard.check(QUESTION, 0),
            Self::History | Self::HistoryWithTools => heard.check(&question(), 0),
            Self::Stream => heard.check(&bare_text(), CHUNKS),
        }
    }

    /// Fails unless this is what an echo has to answer.
    pub fn check(self, heard: &Heard) -> anyhow::Result<()> {
        match self {
            Self::Short | Self::Json => heard.check(SHORT_TEXT, 0),
            Self::History => heard.check(&question(), 0),
            Self::Stream => heard.check(&words(), CHUNKS),
            Self::Tools | Self::HistoryWithTools => heard.check_call("get_weather"),
        }
    }
}

impl Heard {
    fn check(&self, text: &str, chunks: usize) -> anyhow::Result<()> {
        let content = self.message()?.pointer("/content");
        ensure!(content == Some(&text.into()), "{content:?} is not {text:?}");
        ensure!(self.chunks.len() == chunks, "{} chunks, not {chunks}", self.chunks.len());
        let streamed = self.chunks.concat();
        ensure!(chunks == 0 || streamed == text, "{streamed:?} was streamed, not {text:?}");
        Ok(())
    }

    fn check_call(&self, tool: &str) -> anyhow::Result<()> {
        let message = self.message()?;
        let called = |at: usize| message.pointer(&format!("/toolCalls/{at}/function/name"));
        let right = called(0) == Some(&tool.into()) && called(1).is_none();
        ensure!(right, "{message} does not call {tool}, or not alone");
        Ok(())
    }

    fn message(&self) -> anyhow::Result<&Value> {
        let message = self.answer.pointer("/outputs/0/choices/0/message");
        message.with_context(|| format!("no message in {}", self.answer))
    }
}

/// The text that a bare server streams, as long as what an echo streams.
pub fn bare_text() -> String {
    BARE_CHUNK.repeat(CHUNKS)
}

fn request(messages: &[Value], tools: &[Value]) -> Value {
    json!({ "name": "echo", "inputs": [{ "messages": messages }], "tools": tools })
}

fn user(text: &str) -> Value {
    json!({ "ofUser": { "content": [{ "text": text }] } })
}

/// Words that make as many chunks.
fn words() -> String {
    let words: Vec<_> = (0..CHUNKS).map(|number| format!("word{number:04}")).collect();
    words.join(" ")
}

/// A system message, then user and assistant in turn; the last is a question of the user.
fn history() -> Vec<Value> {
    let message = |at: usize| {
        let content = json!([{ "text": prose(at) }]);
        match at {
            0 => json!({ "ofSystem": { "content": content } }),
            _ if at == MESSAGES - 1 => user(&question()),
            _ if at % 2 == 1 => json!({ "ofUser": { "content": content } }),
            _ => json!({ "ofAssistant": { "content": content } }),
        }
    };
    (0..MESSAGES).map(message).collect()
}

/// Prose of one message, which begins elsewhere in every message.
fn prose(start: usize) -> String {
    PROSE.chars().cycle().skip(start * 17).take(MESSAGE_BYTES).collect()
}

/// The last message.
fn question() -> String {
    let before: String = prose(0).chars().take(MESSAGE_BYTES - QUESTION.len() - 2).collect();
    format!("{before}. {QUESTION}")
}

fn tools() -> [Value; 5] {
    let text = |what: &str| json!({ "type": "string", "description": what });
    [
        tool(
            "get_weather",
            "Current conditions and a forecast for a place, in words and in figures",
            &json!({ "location": text("Name of the city, with the country where it is not clear"),
                "days": { "type": "integer", "minimum": 1, "maximum": 14, "description": "How far ahead" },
                "unit": { "type": "string", "enum": ["celsius", "fahrenheit"] } }),
        ),
        tool(
            "search_flights",
            "Connections between two airports on a day, cheapest first, with stops and prices",
            &json!({ "origin": text("IATA code of the airport of departure"),
                "destination": text("IATA code of the airport of arrival"),
                "date": { "type": "string", "format": "date" },
                "passengers": { "type": "integer", "minimum": 1, "maximum": 9 } }),
        ),
        tool(
            "book_hotel",
            "Reserves a room at a hotel that an earlier search returned, and confirms by number",
            &json!({ "hotel_id": text("Id as an earlier search returned it"),
                "nights": { "type": "integer", "minimum": 1, "maximum": 30 },
                "guests": { "type": "array", "items": text("Full name as in the passport") },
                "breakfast": { "type": "boolean" } }),
        ),
        tool(
            "convert_currency",
            "Turns an amount of one currency into another one at the rate of the day",
            &json!({ "amount": { "type": "number", "minimum": 0, "description": "How much" },
                "from": text("ISO code of the currency that the amount is in"),
                "to": text("ISO code of the currency that is wanted") }),
        ),
        tool(
            "translate_document",
            "Renders a document in another language and keeps its headings, lists and tables",
            &json!({ "document_id": text("Id of the document in the archive"),
                "language": { "type": "string", "enum": ["de", "en", "es", "fr", "it", "ja"] },
                "formal": { "type": "boolean", "description": "Whether strangers will read it" } }),
        ),
    ]
}

fn tool(name: &str, description: &str, properties: &Value) -> Value {
    let required: Vec<_> =
        properties.as_object().into_iter().flat_map(|them| them.keys().take(2)).collect();
    let parameters = json!({ "type": "object", "required": required, "properties": properties });
    json!({ "function": { "name": name, "description": description, "parameters": parameters } })
}
