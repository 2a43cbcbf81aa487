//! The request to a component.

use std::{collections::BTreeMap, ops::Range, time::Duration};

use serde_json::Value;

use super::{LazyJson, Message, Role, Tool};

/// A request to a component: a history, the offered tools and model parameters.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Label of the conversation. A label that is not empty is returned unchanged.
    pub context_id: Option<String>,
    /// Name of the model that the client asks for, in APIs where clients do.
    pub model: Option<String>,
    /// All messages of all inputs, oldest first.
    pub messages: Vec<Message>,
    /// The offered tools.
    pub tools: Vec<Tool>,
    /// Names of the caller's other tools, which the model must not call in this request. Tools that a
    /// component owns are not offered under these names.
    pub withheld_tools: Vec<String>,
    /// Which of the offered tools the model must call.
    pub tool_choice: ToolChoice,
    /// Whether the answer has at most one tool call. The others are left out.
    pub single_tool_call: bool,
    /// JSON Schema of the answer.
    pub response_format: Option<LazyJson>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Maximum number of generated tokens. Providers ignore a number below 1, which a sidecar rejects.
    pub max_tokens: Option<i64>,
    /// How long the provider may keep its prompt cache.
    pub prompt_cache_retention: Option<Duration>,
    /// Provider parameters, by name.
    pub parameters: BTreeMap<String, Parameter>,
    /// Provider metadata, by name.
    pub metadata: BTreeMap<String, String>,
    /// Ranges of `messages` to scrub of personal data before the provider sees them.
    pub scrub_inputs: Vec<Range<usize>>,
    /// Whether to scrub personal data from the answer.
    pub scrub_output: bool,
}

/// Which of the offered tools the model must call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// None of them.
    None,
    /// At least one of them.
    Required,
    /// The tool with this name.
    Tool(String),
}

/// The parameter with the number of answers, in APIs where clients may ask for several.
pub const CHOICES: &str = "n";

/// A parameter of any protobuf type, in encoded form. Without a type, it is the JSON of another API.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// Name of the type, such as `type.googleapis.com/google.protobuf.StringValue`. May be empty.
    pub type_url: String,
    /// The encoded message. Read as JSON, it is `null` if its type is unknown.
    pub value: LazyJson,
}

/// Creates a request with one user message.
///
/// ```
/// use mynah_core::chat::{Request, Role};
/// assert_eq!(Request::from("Hello!").messages[0].role, Role::User);
/// ```
impl<T: Into<String>> From<T> for Request {
    fn from(prompt: T) -> Self {
        let messages = vec![Message::new(Role::User, prompt)];
        Self { messages, ..Self::default() }
    }
}

impl Parameter {
    /// Wraps JSON that has no protobuf type.
    pub fn json(value: LazyJson) -> Self {
        Self { type_url: String::new(), value }
    }

    /// Decodes JSON that has no protobuf type. Returns `None` for other parameters.
    pub fn read_json(&self) -> Option<Value> {
        self.type_url.is_empty().then(|| self.value.read()).filter(|value| !value.is_null())
    }
}

impl Request {
    /// Returns the number of answers that the client asks for.
    pub fn choices(&self) -> u64 {
        let choices = self.parameters.get(CHOICES).and_then(Parameter::read_json);
        choices.and_then(|it| it.as_u64()).unwrap_or(1)
    }

    /// Returns the last user message.
    pub fn last_user(&self) -> Option<&Message> {
        self.messages.iter().rfind(|message| matches!(message.role, Role::User))
    }

    /// Returns the tool results at the end of the history, ignoring system and developer messages
    /// after them.
    pub fn tool_results(&self) -> &[Message] {
        let is_instruction =
            |message: &Message| matches!(message.role, Role::System | Role::Developer);
        let is_result = |message: &Message| matches!(message.role, Role::Tool { .. });
        let messages = &self.messages;
        let end =
            messages.iter().rposition(|message| !is_instruction(message)).map_or(0, |at| at + 1);
        let run = messages[..end].iter().rev().take_while(|message| is_result(message)).count();
        &messages[end - run..end]
    }

    /// Returns `true` if personal data is to be scrubbed from the answer or from an input.
    pub fn scrubs_pii(&self) -> bool {
        self.scrub_output || !self.scrub_inputs.is_empty()
    }

    /// Returns the length of the texts whose personal data is scrubbed, in bytes.
    pub fn scrubbed_len(&self) -> usize {
        let ranges = self.scrub_inputs.iter().cloned();
        let messages = ranges.flat_map(|range| self.messages.get(range).unwrap_or_default());
        messages.map(Message::text_len).sum()
    }

    /// Estimates how many bytes of texts, tools, schemas and parameters a provider has to read.
    pub fn size(&self) -> usize {
        const TOOL: usize = 64;
        let schema = |schema: Option<&LazyJson>| schema.map_or(0, LazyJson::size);
        let tool = |tool: &Tool| TOOL + tool.name.len() + schema(tool.parameters.as_ref());
        self.messages.iter().map(Message::text_len).sum::<usize>()
            + self.tools.iter().map(tool).sum::<usize>()
            + self.parameters.values().map(|parameter| parameter.value.size()).sum::<usize>()
            + schema(self.response_format.as_ref())
    }
}
