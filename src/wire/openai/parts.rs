//! Decodes the content of messages: a text, or parts of several types.

use serde_json::value::RawValue;

use super::{
    body::{Part, TextOr},
    invalid,
};
use crate::{
    chat::{Attachment, Message},
    wire::error::Error,
};

/// Maximum size in bytes of an attachment that the journal keeps, such as the URL of an image.
const MAX_KEPT: usize = 256;

/// The attachments of a request that are too large for the journal, in order.
pub(super) type Large<'a> = Vec<&'a RawValue>;

/// What a part of a message has.
pub(super) enum PartContent<'a> {
    Text(String),
    Attachment(Attachment, &'a RawValue),
}

/// A part, or the key that is wrong in it with the reason.
pub(super) type PartResult<'a> = Result<PartContent<'a>, (&'static str, String)>;

/// Adds content to a message. `path` is where the content is, for errors.
pub(super) fn decode<'a, P>(
    path: impl Fn() -> String,
    content: Option<TextOr<P>>,
    read: impl Fn(P) -> PartResult<'a>,
    message: &mut Message,
    large: &mut Large<'a>,
) -> Result<(), Error> {
    let parts = match content {
        None => return Ok(()),
        Some(TextOr::Text(text)) => {
            message.parts.push(text);
            return Ok(());
        }
        Some(TextOr::List(parts)) => parts,
    };
    for (at, part) in parts.into_iter().enumerate() {
        let invalid = |(key, reason)| invalid(format!("{}[{at}].{key}", path()), reason);
        match read(part).map_err(invalid)? {
            PartContent::Text(text) => message.parts.push(text),
            PartContent::Attachment(attachment, value) => {
                message.attachments.push(attachment);
                if value.get().len() > MAX_KEPT {
                    large.push(value);
                }
            }
        }
    }
    Ok(())
}

/// Reads a part of a message of a chat completion.
pub(super) fn read(part: Part<'_>) -> PartResult<'_> {
    let missing = |key| move || (key, "missing".to_owned());
    let (key, attachment, value) = match part.kind.as_str() {
        "text" => return part.text.map(PartContent::Text).ok_or_else(missing("text")),
        "refusal" => return part.refusal.map(PartContent::Text).ok_or_else(missing("refusal")),
        "image_url" => ("image_url", Attachment::Image, part.image_url),
        "input_audio" => ("input_audio", Attachment::Audio, part.input_audio),
        "file" => ("file", Attachment::File, part.file),
        kind => {
            let expected = "text, image_url, input_audio, file, refusal";
            let reason = format!("{kind:?} is not supported; expected one of: {expected}");
            return Err(("type", reason));
        }
    };
    value.map(|value| PartContent::Attachment(attachment, value)).ok_or_else(missing(key))
}
