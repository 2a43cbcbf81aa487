//! The requests sent to the servers, and the expected answers.

mod numbers;
mod prose;

use anyhow::{Context, ensure};
use mynah::internals::wire::{json, proto::ConversationRequestAlpha2};
use serde_json::{Value, json};

/// Texts of short messages. A rule in `components/rules.yaml` repeats each of them.
const SHORT_TEXTS: [&str; 4] =
    ["Hello, mynah!", "Good morning.", "Who sings there?", "Repeat after me: polly."];
/// The number of chunks in the streamed answer, not counting the final message.
pub const CHUNKS: usize = 1000;
/// One chunk of the answer that a bare server streams.
pub const BARE_CHUNK: &str = " constant";
/// The path of a call over HTTP.
pub const JSON_PATH: &str = "/v1.0-alpha2/conversation/echo/converse";
/// The path of a call of OpenAI's API.
pub const OPENAI_PATH: &str = "/v1/chat/completions";

/// A history of 13 kB.
const LONG: History = History { messages: 20, message_bytes: 650 };
/// A history of 9 kB.
const MEDIUM: History = History { messages: 14, message_bytes: 650 };

/// A kind of call. If a case has several requests, they rotate over texts and over sets of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// A message of a few words over gRPC.
    Short,
    /// A short question that mentions one of five tools.
    Question,
    /// A history of 13 kB that mentions none of five tools.
    History,
    /// A history of 13 kB that mentions one of five tools in its last sentence.
    Mention,
    /// A message of 13 kB that mentions one of five tools in the middle.
    Prose,
    /// A history of 13 kB with numbers in its messages and in the names of the five tools. It
    /// mentions no tool.
    Numbers,
    /// A history of 9 kB that mentions one of 40 tools in its last sentence.
    FortyTools,
    /// An answer in 1,000 chunks.
    Stream,
    /// The short message over HTTP, as JSON.
    Json,
    /// A short message in OpenAI's API, which a rule answers.
    OpenAi,
    /// The short message over gRPC, each in a session of its own. Only mynah knows sessions.
    Sessions,
    /// A message over gRPC for which the component makes three calls of its own tools, turn by turn.
    /// Only mynah answers it.
    OwnTools,
}

/// A request and what it is about.
#[derive(Debug, Clone)]
pub struct Call {
    /// The request as proto JSON.
    pub json: Value,
    /// The text of the last message.
    text: String,
    expected: Expected,
}

/// What mynah answers.
#[derive(Debug, Clone)]
enum Expected {
    /// The text of the last message.
    Echo,
    Text(&'static str),
    /// A call of the tool with this name.
    Tool(String),
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
    /// The cases in which mynah is compared with others, in the order of the table rows.
    pub const ALL: [Self; 10] = [
        Self::Short,
        Self::Question,
        Self::History,
        Self::Mention,
        Self::Prose,
        Self::Numbers,
        Self::FortyTools,
        Self::Stream,
        Self::Json,
        Self::OpenAi,
    ];

    /// Returns the name used in tables and in the baseline.
    pub fn name(self) -> &'static str {
        match self {
            Self::Short => "short message",
            Self::Question => "question, five tools",
            Self::History => "history of 13 kB, five tools",
            Self::Mention => "history of 13 kB, one of five tools",
            Self::Prose => "message of 13 kB, one of five tools",
            Self::Numbers => "history of 13 kB, five numbered tools",
            Self::FortyTools => "history of 9 kB, one of 40 tools",
            Self::Stream => "stream of 1,000 chunks",
            Self::Json => "short message, HTTP JSON",
            Self::OpenAi => "short message, OpenAI JSON, rules",
            Self::Sessions => "short message, sessions",
            Self::OwnTools => "three turns with tools of the component",
        }
    }

    /// Returns mynah's flag for the component that answers, unless it is the built-in one.
    pub fn flag(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => {
                Some(concat!("--rules=", env!("CARGO_MANIFEST_DIR"), "/components/rules.yaml"))
            }
            Self::OwnTools => {
                Some(concat!("--resources-path=", env!("CARGO_MANIFEST_DIR"), "/components"))
            }
            _ => None,
        }
    }

    /// Returns the path of a call over HTTP, or `None` for a call over gRPC.
    pub fn http_path(self) -> Option<&'static str> {
        match self {
            Self::Json => Some(JSON_PATH),
            Self::OpenAi => Some(OPENAI_PATH),
            _ => None,
        }
    }

    /// Returns the calls to make in turn.
    pub fn calls(self) -> anyhow::Result<Vec<Call>> {
        Ok(match self {
            Self::Short | Self::Sessions | Self::Json | Self::OpenAi => {
                let call = |text| Call::new(&[user(text)], &[]);
                SHORT_TEXTS.map(call).into_iter().collect::<Result<_, _>>()?
            }
            Self::Stream => vec![Call::new(&[user(&words())], &[])?],
            Self::OwnTools => {
                let expected = Expected::Text(SHORT_TEXTS[0]);
                vec![Call { expected, ..Call::new(&[user(&own_calls())], &[])? }]
            }
            Self::Numbers => numbers::calls()?,
            Self::Question | Self::History | Self::Mention | Self::Prose | Self::FortyTools => {
                prose::calls(self)?
            }
        })
    }

    /// Fails unless `answer` is what a bare server sends: the last text or the constant stream.
    pub fn check_bare(self, call: &Call, answer: &Answer) -> anyhow::Result<()> {
        match self {
            Self::Stream => answer.check(&bare_text(), CHUNKS),
            _ => answer.check(&call.text, 0),
        }
    }

    /// Fails unless `answer` is what echo sends.
    pub fn check(self, call: &Call, answer: &Answer) -> anyhow::Result<()> {
        let chunks = if self == Self::Stream { CHUNKS } else { 0 };
        match &call.expected {
            Expected::Echo => answer.check(&call.text, chunks),
            Expected::Text(text) => answer.check(text, chunks),
            Expected::Tool(tool) => answer.check_call(tool),
        }
    }
}

impl Call {
    /// Creates a call that mentions no tool.
    fn new(messages: &[Value], tools: &[Value]) -> anyhow::Result<Self> {
        let last = messages.last().and_then(|last| last.pointer("/ofUser/content/0/text"));
        let text = last.and_then(Value::as_str).context("the last message is from the user")?;
        let text = text.to_owned();
        let json = json!({ "name": "echo", "inputs": [{ "messages": messages }], "tools": tools });
        Ok(Self { json, text, expected: Expected::Echo })
    }

    /// Returns the body of the request over HTTP.
    pub fn body(&self, case: Case) -> Value {
        match case {
            Case::OpenAi => {
                json!({"model": "echo", "messages": [{"role": "user", "content": self.text}]})
            }
            _ => self.json.clone(),
        }
    }

    /// Returns the request as a message.
    pub fn message(&self) -> anyhow::Result<ConversationRequestAlpha2> {
        Ok(json::read(self.json.to_string().as_bytes())?)
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
        let pointers = ["/outputs/0/choices/0/message", "/choices/0/message"];
        let message = pointers.into_iter().find_map(|pointer| self.response.pointer(pointer));
        message.with_context(|| format!("no message in {}", self.response))
    }
}

/// Returns the text that a bare server streams. It is as long as the text that echo streams.
pub fn bare_text() -> String {
    BARE_CHUNK.repeat(CHUNKS)
}

fn user(text: &str) -> Value {
    json!({ "ofUser": { "content": [{ "text": text }] } })
}

/// Returns a chain with three calls, after which the answer is the first of [`SHORT_TEXTS`].
fn own_calls() -> String {
    let find = |id: &str| json!({"name": "find_order", "args": {"id": id}});
    let calls = [find("1001"), json!({"name": "count_orders", "args": {}}), find("1002")];
    let mut steps = calls.map(|call| json!({"messages": [{"tool_call": [call]}]})).to_vec();
    steps.push(json!({"messages": [{"text": SHORT_TEXTS[0]}]}));
    format!("<|instruction_start|>{}<|instruction_end|>", json!({"instruction_chain": steps}))
}

/// Returns a text that echo streams in [`CHUNKS`] chunks.
fn words() -> String {
    let words: Vec<_> = (0..CHUNKS).map(|number| format!("word{number:04}")).collect();
    words.join(" ")
}

/// The size of a history.
#[derive(Debug, Clone, Copy)]
struct History {
    messages: usize,
    message_bytes: usize,
}

impl History {
    /// Returns a system message and alternating user and assistant messages. `text` returns endless
    /// text for a message. The last message ends with `question`.
    fn of<T: Iterator<Item = char>>(self, text: impl Fn(usize) -> T, question: &str) -> Vec<Value> {
        let last = self.messages - 1;
        let message = |at: usize| {
            let end = if at == last { question } else { "" };
            let len = self.message_bytes.saturating_sub(end.len());
            let text = text(at).take(len).collect::<String>() + end;
            match at {
                0 => json!({ "ofSystem": { "content": [{ "text": text }] } }),
                _ if at == last || at % 2 == 1 => user(&text),
                _ => json!({ "ofAssistant": { "content": [{ "text": text }] } }),
            }
        };
        (0..self.messages).map(message).collect()
    }
}
