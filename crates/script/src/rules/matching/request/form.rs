//! The canonical form of a request: what the application has sent, however it has sent it.

use std::{collections::BTreeMap, hash::BuildHasher};

use foldhash::quality::FixedState;
use mynah_core::chat::{
    Attachment, LazyJson, Message, Parameter, Request, Role, ToolCall, ToolChoice,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    canonical::canonical,
    text_file::{TextFile, TextSource},
    tool_hash::{HASH, tool_hash},
};

/// Maximum nesting depth of arguments that are written as JSON, since YAML has a limit, too.
const MAX_DEPTH: usize = 48;

/// A request in its canonical form.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RecordedRequest")]
pub struct RequestForm {
    /// Name of the component.
    pub component: String,
    /// The history.
    pub messages: Vec<FormMessage>,
    /// A hash of the description and the schema of each offered tool, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
    /// The tool choice, if it is not auto: none, required or the name of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<String>,
    /// Whether the answer may have several tool calls. Default: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
    /// The JSON Schema of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_format: Option<Value>,
    /// The sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The maximum number of generated tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<i64>,
    /// The parameters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Value>,
}

/// A message in its canonical form.
#[derive(Debug, Clone, PartialEq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RecordedMessage")]
pub struct FormMessage {
    /// Who has said it.
    role: FormRole,
    /// The name of who has said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The text, if it has one part.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(with = "TextSource")]
    text: String,
    /// The texts, if there are several parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<TextSource>")]
    parts: Vec<String>,
    /// What else it has: image, audio, file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<FormAttachment>,
    /// The calls of an assistant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<FormCall>,
    /// The number of the call in the history that a result answers, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answers: Option<usize>,
    /// The name of the tool, if a result answers no call in the history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
}

/// Who has said a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum FormRole {
    Developer,
    System,
    User,
    Assistant,
    Tool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FormAttachment {
    Image,
    Audio,
    File,
}

/// A tool call in its canonical form.
#[derive(Debug, Clone, PartialEq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RecordedCall")]
struct FormCall {
    /// Name of the tool.
    name: String,
    /// The arguments, if they are JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    args: Option<Value>,
    /// The text of the arguments, if they are not JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    raw_args: Option<String>,
}

impl RequestForm {
    /// Returns the form of a request to a component.
    pub fn new(request: &Request, component: &str) -> Self {
        let hashes: Vec<_> = request.tools.iter().map(tool_hash).collect();
        Self::with_hashes(request, component, &hashes)
    }

    /// Returns the form of a request whose tools have these [hashes](tool_hash).
    pub fn with_hashes(request: &Request, component: &str, hashes: &[String]) -> Self {
        let json = |json: &LazyJson| canonical(json.read());
        let mut tools = BTreeMap::<_, String>::new();
        for (tool, hash) in request.tools.iter().zip(hashes) {
            tools.entry(tool.name.clone()).or_default().push_str(hash);
        }
        let parameters = request.parameters.iter();
        Self {
            component: component.to_owned(),
            messages: messages(&request.messages),
            tools,
            tool_choice: match &request.tool_choice {
                ToolChoice::Auto => None,
                ToolChoice::None => Some("none".to_owned()),
                ToolChoice::Required => Some("required".to_owned()),
                ToolChoice::Tool(name) => Some(name.clone()),
            },
            parallel_tool_calls: request.single_tool_call.then_some(false),
            response_format: request.response_format.as_ref().map(json),
            temperature: request.temperature,
            max_tokens: request.max_tokens,
            parameters: parameters.map(|(name, it)| (name.clone(), json(&it.value))).collect(),
        }
    }

    /// Returns the form as a program would write it, however a person has written it.
    #[must_use]
    pub fn canonical(mut self) -> Self {
        self.tool_choice = self.tool_choice.filter(|choice| choice != "auto");
        self.parallel_tool_calls = self.parallel_tool_calls.filter(|several| !several);
        self.response_format = self.response_format.map(canonical);
        let parameters = self.parameters.into_iter();
        self.parameters = parameters.map(|(name, value)| (name, canonical(value))).collect();
        let calls = self.messages.iter_mut().flat_map(|message| &mut message.tool_calls);
        calls.for_each(|call| call.args = call.args.take().map(canonical));
        self
    }

    /// Changes all texts.
    pub fn change_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let values = self.response_format.iter_mut().chain(self.parameters.values_mut());
        values.for_each(|value| change_strings(value, change));
        for message in &mut self.messages {
            message.texts().for_each(&mut *change);
            for call in &mut message.tool_calls {
                call.args.iter_mut().for_each(|args| change_strings(args, change));
            }
        }
    }

    /// Returns the hashes of the offered tools.
    pub fn tool_hashes(&self) -> impl Iterator<Item = &str> {
        let hashes = self.tools.values();
        hashes.flat_map(|all| {
            (0..all.len()).step_by(HASH).filter_map(move |at| all.get(at..at + HASH))
        })
    }

    /// Returns a request that has this form, but for its tools. Calls have the numbers of their places as
    /// ids.
    pub fn to_request(&self) -> Request {
        let mut calls = Vec::new();
        let messages = self.messages.iter().map(|message| message.to_message(&mut calls)).collect();
        let parameter = |value: &Value| {
            let (type_url, value) = (String::new(), LazyJson::new(value.clone()));
            Parameter { type_url, value }
        };
        let parameters = self.parameters.iter();
        Request {
            messages,
            tool_choice: match self.tool_choice.as_deref() {
                None => ToolChoice::Auto,
                Some("none") => ToolChoice::None,
                Some("required") => ToolChoice::Required,
                Some(name) => ToolChoice::Tool(name.to_owned()),
            },
            single_tool_call: self.parallel_tool_calls == Some(false),
            response_format: self.response_format.clone().map(LazyJson::new),
            temperature: self.temperature,
            max_tokens: self.max_tokens,
            parameters: parameters.map(|(name, it)| (name.clone(), parameter(it))).collect(),
            ..Request::default()
        }
    }

    /// Returns the size of the texts that have files of their own.
    pub(crate) fn long_size(&self) -> usize {
        let texts = self.messages.iter().flat_map(|it| it.parts.iter().chain([&it.text]));
        texts.filter(|text| TextFile::is_long(text)).map(String::len).sum()
    }

    /// Returns a hash of the form.
    pub fn hash(&self) -> u64 {
        let Self { component, messages, tools, tool_choice, parallel_tool_calls, .. } = self;
        let Self { response_format, temperature, max_tokens, parameters, .. } = self;
        let offered = (tools, tool_choice, parallel_tool_calls, response_format);
        let limits = (temperature.map(f64::to_bits), max_tokens);
        FixedState::default().hash_one((component, messages, offered, limits, parameters))
    }

    /// Returns the last message of the user.
    pub fn last_user(&self) -> Option<&str> {
        let user = self.messages.iter().rfind(|message| message.role == FormRole::User)?;
        Some(user.parts.first().unwrap_or(&user.text))
    }
}

impl FormMessage {
    /// Returns the message. `called` has the names of all calls so far.
    fn to_message(&self, called: &mut Vec<String>) -> Message {
        let role = match self.role {
            FormRole::Developer => Role::Developer,
            FormRole::System => Role::System,
            FormRole::User => Role::User,
            FormRole::Assistant => {
                let call = |call: &FormCall| {
                    called.push(call.name.clone());
                    let args = call.args.as_ref().map(Value::to_string);
                    let arguments = args.or_else(|| call.raw_args.clone()).unwrap_or_default();
                    ToolCall { id: Some(call_id(called.len())), name: call.name.clone(), arguments }
                };
                Role::Assistant { tool_calls: self.tool_calls.iter().map(call).collect() }
            }
            FormRole::Tool => {
                let name =
                    self.answers.and_then(|number| called.get(number.checked_sub(1)?)).cloned();
                let name = name.or_else(|| self.tool.clone()).unwrap_or_default();
                Role::Tool { id: self.answers.map(call_id), name }
            }
        };
        let parts =
            if self.parts.is_empty() { vec![self.text.clone()] } else { self.parts.clone() };
        Message { role, name: self.name.clone(), parts, attachments: Vec::new() }
    }

    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let raw = self.tool_calls.iter_mut().filter_map(|call| call.raw_args.as_mut());
        [&mut self.text].into_iter().chain(&mut self.name).chain(&mut self.parts).chain(raw)
    }
}

/// Returns an id for the call with this number.
fn call_id(number: usize) -> String {
    format!("call_{number}")
}

fn messages<'m>(messages: &'m [Message]) -> Vec<FormMessage> {
    // The ids of all calls so far.
    let mut called = Vec::new();
    let form = |message: &'m Message| {
        called.extend(message.tool_calls().iter().map(|call| call.id.as_deref()));
        let (mut answers, mut tool) = (None, None);
        if let Role::Tool { id, name } = &message.role {
            let answered = called.iter().rposition(|call| call.is_some() && *call == id.as_deref());
            answers = answered.map(|at| at + 1);
            tool = answers.is_none().then(|| name.clone());
        }
        let (text, parts) = match message.parts.as_slice() {
            [] => (String::new(), Vec::new()),
            [text] => (text.clone(), Vec::new()),
            parts => (String::new(), parts.to_vec()),
        };
        FormMessage {
            role: role(&message.role),
            // Some clients send an empty name for none.
            name: message.name.clone().filter(|name| !name.is_empty()),
            text,
            parts,
            attachments: message.attachments.iter().map(|it| attachment(*it)).collect(),
            tool_calls: message.tool_calls().iter().map(call).collect(),
            answers,
            tool,
        }
    };
    messages.iter().map(form).collect()
}

fn role(role: &Role) -> FormRole {
    match role {
        Role::Developer => FormRole::Developer,
        Role::System => FormRole::System,
        Role::User => FormRole::User,
        Role::Assistant { .. } => FormRole::Assistant,
        Role::Tool { .. } => FormRole::Tool,
    }
}

fn attachment(attachment: Attachment) -> FormAttachment {
    match attachment {
        Attachment::Image => FormAttachment::Image,
        Attachment::Audio => FormAttachment::Audio,
        Attachment::File => FormAttachment::File,
    }
}

fn call(call: &ToolCall) -> FormCall {
    let args: Option<Value> = serde_json::from_str(&call.arguments).ok();
    // In a file, null is no arguments.
    let args = args.filter(|args| !args.is_null() && !is_deep(args)).map(canonical);
    let raw_args = args.is_none().then(|| call.arguments.clone());
    FormCall { name: call.name.clone(), args, raw_args }
}

/// Returns `true` if a value is nested too deep to be written in a file of rules.
pub fn is_deep(value: &Value) -> bool {
    fn exceeds(value: &Value, max: usize) -> bool {
        let deeper = |item: &Value| max.checked_sub(1).is_none_or(|max| exceeds(item, max));
        match value {
            Value::Array(items) => items.iter().any(deeper),
            Value::Object(members) => members.values().any(deeper),
            _ => false,
        }
    }
    exceeds(value, MAX_DEPTH)
}

fn change_strings(value: &mut Value, change: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| change_strings(item, change)),
        Value::Object(members) => {
            members.values_mut().for_each(|item| change_strings(item, change));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
