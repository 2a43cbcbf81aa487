//! Decodes the items of a history.

use std::collections::BTreeMap;

use super::body::{Item, Part};
use crate::{
    chat::{Attachment, Message, Role, ToolCall},
    wire::{
        error::Error,
        openai::{
            body::{self, TextOr},
            decode::{self, Large, PartContent, PartResult},
            invalid,
        },
    },
};

const ITEM_TYPES: &str = "message, function_call, function_call_output, reasoning, item_reference";
/// Maximum number of references in an input.
const MAX_REFERENCES: usize = 1_000;
const PART_TYPES: &str = "input_text, input_image, input_file, input_audio, output_text, refusal";

/// The messages of a history, as far as they are decoded.
#[derive(Debug, Default)]
pub(super) struct History<'a> {
    pub(super) messages: Vec<Message>,
    /// The attachments that are too large for the journal.
    pub(super) large: Large<'a>,
    /// The number of references to items of earlier responses.
    pub(super) references: usize,
    /// The names of the called tools, by the ids of the calls.
    called: BTreeMap<String, String>,
}

impl<'a> History<'a> {
    /// Adds the input of a request.
    pub(super) fn add(&mut self, input: TextOr<Item<'a>>) -> Result<(), Error> {
        match input {
            TextOr::Text(text) => self.messages.push(Message::user(text)),
            TextOr::List(items) => {
                let mut items = items.into_iter().enumerate();
                items.try_for_each(|(at, item)| self.add_item(at, item))?;
            }
        }
        Ok(())
    }

    fn add_item(&mut self, at: usize, item: Item<'a>) -> Result<(), Error> {
        match item.kind.as_deref() {
            None if item.role.is_none() && item.id.is_some() => self.add_reference(at, item),
            Some("item_reference") => self.add_reference(at, item),
            None | Some("message") => self.add_message(at, item),
            Some("function_call") => self.add_call(at, item),
            Some("function_call_output") => self.add_output(at, item),
            // Clients send the reasoning of a model back to it.
            Some("reasoning") => Ok(()),
            Some(kind) => Err(invalid(
                format!("input[{at}].type"),
                format!("{kind:?} is not supported; expected one of: {ITEM_TYPES}"),
            )),
        }
    }

    /// Notes a reference, in whose place the item is put before the input is decoded again.
    fn add_reference(&mut self, at: usize, item: Item<'a>) -> Result<(), Error> {
        required(at, "id", item.id)?;
        self.references += 1;
        if self.references > MAX_REFERENCES {
            let reason = format!("more than {MAX_REFERENCES} items of type item_reference");
            return Err(invalid("input", reason));
        }
        Ok(())
    }

    fn add_message(&mut self, at: usize, item: Item<'a>) -> Result<(), Error> {
        let role = match required(at, "role", item.role)? {
            body::Role::Developer => Role::Developer,
            body::Role::System => Role::System,
            body::Role::User => Role::User,
            body::Role::Assistant => Role::Assistant { tool_calls: Vec::new() },
            body::Role::Tool => {
                let reason =
                    "\"tool\" is not supported; expected an item of type function_call_output";
                return Err(invalid(format!("input[{at}].role"), reason));
            }
        };
        self.add_content(role, item.content, || format!("input[{at}].content"))
    }

    /// Adds a call, which belongs to the message of the model before it.
    fn add_call(&mut self, at: usize, item: Item<'a>) -> Result<(), Error> {
        let id = required(at, "call_id", item.call_id)?;
        let name = required(at, "name", item.name)?;
        self.called.insert(id.clone(), name.clone());
        let arguments = item.arguments.unwrap_or_default();
        let call = ToolCall { id: Some(id), name, arguments };
        if let Some(Message { role: Role::Assistant { tool_calls }, .. }) = self.messages.last_mut()
        {
            tool_calls.push(call);
        } else {
            self.messages.push(empty(Role::Assistant { tool_calls: vec![call] }));
        }
        Ok(())
    }

    fn add_output(&mut self, at: usize, item: Item<'a>) -> Result<(), Error> {
        let id = required(at, "call_id", item.call_id)?;
        // An output names its function only by the id of the call.
        let name = self.called.get(&id).cloned().unwrap_or_default();
        let output = required(at, "output", item.output)?;
        self.add_content(Role::Tool { id: Some(id), name }, Some(output), || {
            format!("input[{at}].output")
        })
    }

    fn add_content(
        &mut self,
        role: Role,
        content: Option<TextOr<Part<'a>>>,
        path: impl Fn() -> String,
    ) -> Result<(), Error> {
        let mut message = empty(role);
        decode::content(path, content, read_part, &mut message, &mut self.large)?;
        self.messages.push(message);
        Ok(())
    }
}

fn empty(role: Role) -> Message {
    Message { role, name: None, parts: Vec::new(), attachments: Vec::new() }
}

fn required<T>(at: usize, key: &str, value: Option<T>) -> Result<T, Error> {
    value.ok_or_else(|| invalid(format!("input[{at}].{key}"), "missing"))
}

fn read_part(part: Part<'_>) -> PartResult<'_> {
    let missing = |key| move || (key, "missing".to_owned());
    let (key, attachment, value) = match part.kind.as_str() {
        "input_text" | "output_text" | "text" => {
            return part.text.map(PartContent::Text).ok_or_else(missing("text"));
        }
        "refusal" => return part.refusal.map(PartContent::Text).ok_or_else(missing("refusal")),
        "input_image" => ("image_url", Attachment::Image, part.image_url.or(part.file_id)),
        "input_audio" => ("input_audio", Attachment::Audio, part.input_audio),
        "input_file" => {
            let file = part.file_data.or(part.file_url).or(part.file_id);
            ("file_data", Attachment::File, file)
        }
        kind => {
            let reason = format!("{kind:?} is not supported; expected one of: {PART_TYPES}");
            return Err(("type", reason));
        }
    };
    value.map(|value| PartContent::Attachment(attachment, value)).ok_or_else(missing(key))
}
