use std::{collections::BTreeMap, ops::Range, time::Duration};

use super::{LazyJson, Message, Role, Tool};

/// What a client asks of a component: a history, and what the model may do about it.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Label of the conversation, returned unchanged where it is not empty.
    pub context_id: Option<String>,
    /// All messages of all inputs, oldest first.
    pub messages: Vec<Message>,
    /// The tools on offer.
    pub tools: Vec<Tool>,
    /// Which of the tools the model shall call.
    pub tool_choice: ToolChoice,
    /// JSON Schema that the answer shall follow.
    pub response_format: Option<LazyJson>,
    /// Sampling temperature, above 0.
    pub temperature: Option<f64>,
    /// Upper bound of generated tokens.
    pub max_tokens: Option<i64>,
    /// How long a provider may keep its prompt cache.
    pub prompt_cache_retention: Option<Duration>,
    /// Provider parameters, by name.
    pub parameters: BTreeMap<String, Parameter>,
    /// Provider metadata, by name.
    pub metadata: BTreeMap<String, String>,
    /// Messages that personal data is to be scrubbed from before a provider sees them.
    pub scrub_inputs: Vec<Range<usize>>,
    /// Whether personal data is to be scrubbed from the answer.
    pub scrub_output: bool,
}

/// Which of the tools on offer the model shall call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// Those that it sees fit.
    #[default]
    Auto,
    /// None.
    None,
    /// At least one.
    Required,
    /// Exactly the one of this name.
    Tool(String),
}

/// A parameter of any protobuf type, kept as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Name of its type, such as `type.googleapis.com/google.protobuf.StringValue`; may be empty.
    pub type_url: String,
    /// Its bytes.
    pub value: Vec<u8>,
}

impl Request {
    /// The latest message of the user.
    pub fn last_user(&self) -> Option<&Message> {
        self.messages.iter().rfind(|message| matches!(message.role, Role::User))
    }

    /// The tool messages that end the history; later system and developer messages do not count.
    pub fn tool_results(&self) -> &[Message] {
        let is_note = |message: &Message| matches!(message.role, Role::System | Role::Developer);
        let is_result = |message: &Message| matches!(message.role, Role::Tool { .. });
        let messages = &self.messages;
        let end = messages.iter().rposition(|message| !is_note(message)).map_or(0, |at| at + 1);
        let run = messages[..end].iter().rev().take_while(|message| is_result(message)).count();
        &messages[end - run..end]
    }

    /// About how many bytes there are to go through: texts, tools and schemas.
    pub fn size(&self) -> usize {
        const TOOL: usize = 64;
        let schema = |schema: Option<&LazyJson>| schema.map_or(0, LazyJson::size);
        let tool = |tool: &Tool| TOOL + tool.name.len() + schema(tool.parameters.as_ref());
        self.messages.iter().map(Message::text_len).sum::<usize>()
            + self.tools.iter().map(tool).sum::<usize>()
            + schema(self.response_format.as_ref())
    }
}
