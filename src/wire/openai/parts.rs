//! Decodes the content of messages: a text, or parts of several types.

use serde_json::value::RawValue;

use super::{
    body::{Content, Part},
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

/// Adds the content to the message with this number.
pub(super) fn decode<'a>(
    at: usize,
    content: Option<Content<'a>>,
    message: &mut Message,
    large: &mut Large<'a>,
) -> Result<(), Error> {
    let parts = match content {
        None => return Ok(()),
        Some(Content::Text(text)) => {
            message.parts.push(text);
            return Ok(());
        }
        Some(Content::Parts(parts)) => parts,
    };
    for (part_at, part) in parts.into_iter().enumerate() {
        add(part, message, large).map_err(|(key, reason)| {
            invalid(format!("messages[{at}].content[{part_at}].{key}"), reason)
        })?;
    }
    Ok(())
}

/// Adds a part to a message. Fails with the key that is wrong, and the reason.
fn add<'a>(
    part: Part<'a>,
    message: &mut Message,
    large: &mut Large<'a>,
) -> Result<(), (&'static str, String)> {
    let (key, attachment, value) = match part.kind.as_str() {
        "text" => return add_text("text", part.text, message),
        "refusal" => return add_text("refusal", part.refusal, message),
        "image_url" => ("image_url", Attachment::Image, part.image_url),
        "input_audio" => ("input_audio", Attachment::Audio, part.input_audio),
        "file" => ("file", Attachment::File, part.file),
        kind => {
            let expected = "text, image_url, input_audio, file, refusal";
            return Err((
                "type",
                format!("{kind:?} is not supported; expected one of: {expected}"),
            ));
        }
    };
    let value = value.ok_or_else(|| (key, "missing".to_owned()))?;
    message.attachments.push(attachment);
    if value.get().len() > MAX_KEPT {
        large.push(value);
    }
    Ok(())
}

fn add_text(
    key: &'static str,
    text: Option<String>,
    message: &mut Message,
) -> Result<(), (&'static str, String)> {
    message.parts.push(text.ok_or_else(|| (key, "missing".to_owned()))?);
    Ok(())
}
