//! Decodes requests and checks what mynah does not support.

use bytes::Bytes;
use serde::Deserialize;
use twox_hash::XxHash3_64;

use super::{
    ResponseRequest,
    body::{Body, Format, Tool},
    document::Outline,
    history::{self, Keys, Settings},
    items::History,
};
use crate::{
    chat::{self, LazyJson, Message, Request},
    wire::{
        error::Error,
        openai::{
            FromBody,
            answer_format::AnswerFormat,
            invalid,
            parameters::keep,
            read::{lazy_json, position, read},
            tool_choice::{self, Choice, Mode},
        },
        sent::summary,
    },
};

impl FromBody for ResponseRequest {
    fn from_body(bytes: &Bytes) -> Result<Self, Error> {
        let body: Body<'_> = read(bytes)?;
        check_supported(&body)?;
        let max_tokens = max_tokens(body.max_output_tokens)?;
        let offered = body.tools.into_iter().flatten().enumerate();
        let tools = offered
            .map(|(at, offered)| tool(at, offered, bytes))
            .collect::<Result<Vec<_>, Error>>()?;
        let missing = || invalid("input", "missing; expected a text or an array of items");
        let mut history = History::default();
        history.messages.extend(body.instructions.map(Message::system));
        history.add(body.input.ok_or_else(missing)?)?;
        let large_attachments: Vec<_> =
            history.large.into_iter().map(|value| position(value, bytes)).collect();
        let is_stored = body.store.unwrap_or(true);
        let summary = summary(bytes, &large_attachments);
        let keys: Keys<'_> = read(summary.as_ref().unwrap_or(bytes))?;
        let outline = Outline {
            hash: XxHash3_64::oneshot(bytes),
            model: body.model.map(|model| model.into_owned()).unwrap_or_default(),
            settings: Settings::new(&keys),
            history: keys.get("input").filter(|_| is_stored).map(|input| history::items(input)),
        };
        let format = body.text.and_then(|text| text.format);
        let request = Request {
            model: Some(outline.model.clone()).filter(|model| !model.is_empty()),
            messages: history.messages,
            tools,
            single_tool_call: body.parallel_tool_calls == Some(false),
            response_format: format.map(|it| schema(&it, bytes)).transpose()?.flatten(),
            temperature: body.temperature,
            max_tokens,
            parameters: keep([("top_p", body.top_p)], bytes),
            metadata: body.metadata.unwrap_or_default(),
            ..Request::default()
        };
        Ok(Self {
            component: String::new(),
            is_streamed: body.stream.unwrap_or_default(),
            previous: body.previous_response_id,
            has_references: history.references > 0,
            tool_choice: tool_choice::read::<ChoiceObject>(body.tool_choice)?,
            request,
            outline,
            large_attachments,
        })
    }
}

/// Rejects what would change the answer and is not supported.
fn check_supported(body: &Body<'_>) -> Result<(), Error> {
    if body.background == Some(true) {
        return Err(invalid("background", "true is not supported; expected false"));
    }
    if body.conversation.is_some() {
        let reason = "not supported; expected previous_response_id or the whole history in input";
        return Err(invalid("conversation", reason));
    }
    if body.prompt.is_some() {
        return Err(invalid("prompt", "not supported; expected instructions and input instead"));
    }
    Ok(())
}

fn max_tokens(limit: Option<i64>) -> Result<Option<i64>, Error> {
    match limit {
        Some(limit) if limit < 1 => {
            let reason = format!("{limit} is out of range; expected at least 1");
            Err(invalid("max_output_tokens", reason))
        }
        limit => Ok(limit),
    }
}

fn tool(at: usize, tool: Tool<'_>, body: &Bytes) -> Result<chat::Tool, Error> {
    let Tool { kind, name, description, parameters } = tool;
    if kind != "function" {
        let reason = format!(
            "{kind:?} is not supported, because mynah runs no built-in tools; expected \"function\""
        );
        return Err(invalid(format!("tools[{at}].type"), reason));
    }
    let missing = || invalid(format!("tools[{at}].name"), "missing");
    let parameters = parameters.map(|schema| lazy_json(schema, body));
    Ok(chat::Tool { name: name.ok_or_else(missing)?, description, parameters })
}

/// Returns the JSON Schema of the answer, or `None` if the answer is a text.
fn schema(format: &Format<'_>, body: &Bytes) -> Result<Option<LazyJson>, Error> {
    let Format { kind, name, strict, schema } = format;
    let params = ["text.format.type", "text.format.schema"];
    AnswerFormat { kind, name: *name, strict: *strict, schema: *schema, params }.schema(body)
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ChoiceObject {
    Function { name: String },
    AllowedTools { mode: Mode, tools: Vec<Named> },
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

impl From<ChoiceObject> for Choice {
    fn from(object: ChoiceObject) -> Self {
        match object {
            ChoiceObject::Function { name } => Self::Function(name),
            ChoiceObject::AllowedTools { mode, tools } => {
                Self::Allowed(mode, tools.into_iter().map(|tool| tool.name).collect())
            }
        }
    }
}
