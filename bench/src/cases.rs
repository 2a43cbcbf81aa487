//! The requests sent to the servers, and the expected answers.

use anyhow::{Context, ensure};
use mynah::internals::wire::{json, proto::ConversationRequestAlpha2};
use serde_json::{Value, json};

/// The text of the short message.
pub const SHORT_TEXT: &str = "Hello, mynah!";
/// The number of chunks in the streamed answer, not counting the final message.
pub const CHUNKS: usize = 1000;
/// One chunk of the answer that a bare server streams.
pub const BARE_CHUNK: &str = " constant";
/// The path of a call over HTTP.
pub const JSON_PATH: &str = "/v1.0-alpha2/conversation/echo/converse";

/// The number of messages in the long history, and the length of each in bytes.
const MESSAGES: usize = 20;
const MESSAGE_BYTES: usize = 500;
const QUESTION: &str = "What is the weather in Paris?";
/// Text that contains none of the words in tool names.
const PROSE: &str = "The old bridge over the stream was painted green last spring, and since then \
    the children of both villages meet there after school. They count the boats, share their bread \
    with the ducks, and argue about which of the seven hills is the highest. On clear evenings \
    someone brings a guitar. ";

/// A kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// A message of three words over gRPC.
    Short,
    /// A short question that mentions one of five tools.
    Tools,
    /// A history of 20 messages, 10 kB in total.
    History,
    /// The same history with the five tools, 13 kB in total.
    HistoryWithTools,
    /// An answer in 1,000 chunks.
    Stream,
    /// The short message over HTTP, as JSON.
    Json,
}

/// An answer from a server.
#[derive(Debug)]
pub struct Answer {
    /// The chunks before the final message; empty for a unary call.
    pub chunks: Vec<String>,
    /// The response in proto JSON.
    pub response: Value,
}

impl Case {
    /// All cases, in the order of the table rows.
    pub const ALL: [Self; 6] =
        [Self::Short, Self::Tools, Self::History, Self::HistoryWithTools, Self::Stream, Self::Json];

    /// Returns the name used in tables and in the baseline.
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

    /// Returns the request as proto JSON.
    pub fn json(self) -> Value {
        match self {
            Self::Short | Self::Json => request(&[user(SHORT_TEXT)], &[]),
            Self::Tools => request(&[user(QUESTION)], &tools()),
            Self::History => request(&history(), &[]),
            Self::HistoryWithTools => request(&history(), &tools()),
            Self::Stream => request(&[user(&words())], &[]),
        }
    }

    /// Returns the request as a message.
    pub fn message(self) -> anyhow::Result<ConversationRequestAlpha2> {
        Ok(json::read(self.json().to_string().as_bytes())?)
    }

    /// Fails unless `answer` is what a bare server sends: the last text or the constant stream.
    pub fn check_bare(self, answer: &Answer) -> anyhow::Result<()> {
        match self {
            Self::Short | Self::Json => answer.check(SHORT_TEXT, 0),
            Self::Tools => answer.check(QUESTION, 0),
            Self::History | Self::HistoryWithTools => answer.check(&question(), 0),
            Self::Stream => answer.check(&bare_text(), CHUNKS),
        }
    }

    /// Fails unless `answer` is what echo sends.
    pub fn check(self, answer: &Answer) -> anyhow::Result<()> {
        match self {
            Self::Short | Self::Json => answer.check(SHORT_TEXT, 0),
            Self::History => answer.check(&question(), 0),
            Self::Stream => answer.check(&words(), CHUNKS),
            Self::Tools | Self::HistoryWithTools => answer.check_call("get_weather"),
        }
    }
}

impl Answer {
    fn check(&self, text: &str, chunks: usize) -> anyhow::Result<()> {
        let content = self.message()?.pointer("/content");
        ensure!(content == Some(&text.into()), "{content:?} is not {text:?}");
        ensure!(self.chunks.len() == chunks, "{} chunks instead of {chunks}", self.chunks.len());
        let streamed = self.chunks.concat();
        ensure!(chunks == 0 || streamed == text, "streamed {streamed:?} instead of {text:?}");
        Ok(())
    }

    fn check_call(&self, tool: &str) -> anyhow::Result<()> {
        let message = self.message()?;
        let name = |at: usize| message.pointer(&format!("/toolCalls/{at}/function/name"));
        let is_right = name(0) == Some(&tool.into()) && name(1).is_none();
        ensure!(is_right, "expected one call to {tool}: {message}");
        Ok(())
    }

    fn message(&self) -> anyhow::Result<&Value> {
        let message = self.response.pointer("/outputs/0/choices/0/message");
        message.with_context(|| format!("no message in {}", self.response))
    }
}

/// Returns the text that a bare server streams. It is as long as the text that echo streams.
pub fn bare_text() -> String {
    BARE_CHUNK.repeat(CHUNKS)
}

fn request(messages: &[Value], tools: &[Value]) -> Value {
    json!({ "name": "echo", "inputs": [{ "messages": messages }], "tools": tools })
}

fn user(text: &str) -> Value {
    json!({ "ofUser": { "content": [{ "text": text }] } })
}

/// Returns a text that echo streams in [`CHUNKS`] chunks.
fn words() -> String {
    let words: Vec<_> = (0..CHUNKS).map(|number| format!("word{number:04}")).collect();
    words.join(" ")
}

/// Returns a system message and alternating user and assistant messages. The last message is a
/// question.
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

/// Returns the text of one message. Each message starts at a different place in [`PROSE`].
fn prose(start: usize) -> String {
    PROSE.chars().cycle().skip(start * 17).take(MESSAGE_BYTES).collect()
}

/// Returns the text of the last message.
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
    let required: Vec<_> = properties
        .as_object()
        .into_iter()
        .flat_map(|properties| properties.keys().take(2))
        .collect();
    let parameters = json!({ "type": "object", "required": required, "properties": properties });
    json!({ "function": { "name": name, "description": description, "parameters": parameters } })
}
