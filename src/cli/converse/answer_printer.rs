//! Prints one answer from a sidecar, whole or as a stream.

use std::io::Write;

use futures_util::TryStreamExt;

use super::{
    error::Error,
    output::{Format, Output, note, note_finish_reason},
};
use crate::{
    base::terminal::Styling,
    client::{self, MessageStream},
    wire::{
        json,
        proto::{
            ConversationResponseAlpha2, ConversationResultAlpha2, ConversationStreamCompleteAlpha2,
            ConversationStreamResponseAlpha2, ConversationToolCalls,
            conversation_stream_response_alpha2::Message, conversation_tool_calls::ToolTypes,
        },
    },
};

/// Prints one answer.
#[derive(Debug)]
pub(super) struct AnswerPrinter<W> {
    output: Output<W>,
    format: Format,
    /// Whether the last message of the stream has arrived.
    is_complete: bool,
}

impl<W: Write> AnswerPrinter<W> {
    pub(super) fn new(out: W, format: Format) -> Self {
        Self { output: Output::new(out), format, is_complete: false }
    }

    /// Prints an answer that was not streamed.
    pub(super) fn print(&mut self, answer: ConversationResponseAlpha2) -> Result<(), Error> {
        if let Format::Json { pretty } = self.format {
            return Ok(self.output.json(&json::value(&answer)?, pretty)?);
        }
        let ConversationResponseAlpha2 { context_id, outputs } = answer;
        let complete = Message::Complete(ConversationStreamCompleteAlpha2 { context_id, outputs });
        self.print_piece(&ConversationStreamResponseAlpha2 { message: Some(complete) })
    }

    /// Prints a stream as it arrives. If the stream fails, the text that has arrived stays on
    /// stdout, followed by a line break.
    pub(super) async fn print_stream(&mut self, mut messages: MessageStream) -> Result<(), Error> {
        loop {
            match messages.try_next().await {
                Ok(Some(piece)) => self.print_piece(&piece)?,
                Ok(None) => return self.finish(),
                Err(error) => return Ok(self.output.end_line()?).and(Err(error.into())),
            }
        }
    }

    fn print_piece(&mut self, piece: &ConversationStreamResponseAlpha2) -> Result<(), Error> {
        self.is_complete |= matches!(piece.message, Some(Message::Complete(_)));
        match (self.format, &piece.message) {
            (Format::Text(styling), Some(Message::Chunk(chunk))) => {
                self.output.text(&chunk.content, styling)?;
            }
            (Format::Text(styling), Some(Message::Complete(complete))) => {
                self.print_outputs(&complete.outputs, styling)?;
            }
            (Format::Text(_), None) => {}
            (Format::Json { .. } | Format::JsonLines, _) => {
                self.output.line(&json::write(piece)?)?;
            }
        }
        Ok(self.output.flush()?)
    }

    /// Ends the output, and returns an error if the last message of the stream is missing.
    fn finish(&mut self) -> Result<(), Error> {
        self.output.end_line()?;
        if self.is_complete { Ok(()) } else { Err(client::Error::Truncated.into()) }
    }

    /// Prints the tool calls, and also the text unless it has already been printed as chunks.
    fn print_outputs(
        &mut self,
        outputs: &[ConversationResultAlpha2],
        styling: Styling,
    ) -> Result<(), Error> {
        self.output.end_line()?;
        let is_streamed = self.output.has_text;
        let mut is_empty = !is_streamed;
        for choice in outputs.iter().flat_map(|output| &output.choices) {
            note_finish_reason(&choice.finish_reason);
            let Some(message) = &choice.message else { continue };
            is_empty &= message.content.is_empty() && message.tool_calls.is_empty();
            if !is_streamed {
                self.output.text(&message.content, styling)?;
                self.output.end_line()?;
            }
            for call in &message.tool_calls {
                self.output.line(&format_call(call, styling))?;
            }
        }
        if is_empty {
            note("the answer is empty");
        }
        Ok(())
    }
}

/// Returns a line with the name, the arguments and the id of a tool call.
fn format_call(call: &ConversationToolCalls, styling: Styling) -> String {
    let mut line = match &call.tool_types {
        Some(ToolTypes::Function(function)) => {
            // Line breaks in JSON are only whitespace.
            let arguments = function.arguments.replace(['\n', '\r'], " ");
            format!("{} {}", styling.bold(&function.name), styling.plain(&arguments))
        }
        None => styling.bold("tool call without a function"),
    };
    if let Some(id) = call.id.as_deref().filter(|id| !id.is_empty()) {
        line += &format!("  {}", styling.dim(&format!("({id})")));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::json::read;

    const PLAIN: Format = Format::Text(Styling::Raw);
    const CALL: &str = r#"{"complete": {"outputs": [{"choices": [{"message": {
        "content": "Hello!",
        "toolCalls": [{"id": "1", "function": {"name": "f", "arguments": "{\r\n}"}}, {}]
    }}]}]}}"#;

    /// Returns the output for a stream, and whether the stream is complete.
    fn printed(format: Format, pieces: &[&str]) -> (String, bool) {
        let mut out = Vec::new();
        let mut printer = AnswerPrinter::new(&mut out, format);
        for piece in pieces {
            printer.print_piece(&read(piece.as_bytes()).unwrap()).unwrap();
        }
        let is_complete = printer.finish().is_ok();
        (String::from_utf8(out).unwrap(), is_complete)
    }

    #[test]
    fn does_not_repeat_streamed_text() {
        let chunks = [r#"{"chunk": {"content": "Hel"}}"#, r#"{"chunk": {"content": "lo!"}}"#, CALL];
        let expected = "Hello!\nf {  }  (1)\ntool call without a function\n";
        assert_eq!(printed(PLAIN, &chunks), (expected.to_owned(), true));
        assert_eq!(printed(PLAIN, &[CALL]), (expected.to_owned(), true));
    }

    #[test]
    fn ends_each_line_once() {
        let complete = r#"{"complete": {}}"#;
        for text in ["a\\nb", "a\\nb\\n"] {
            let chunk = format!(r#"{{"chunk": {{"content": "{text}"}}}}"#);
            assert_eq!(printed(PLAIN, &[&chunk, complete]), ("a\nb\n".to_owned(), true));
        }
    }

    #[test]
    fn stream_without_last_message_is_incomplete() {
        let chunk = r#"{"chunk":{"content":"Hel"}}"#;
        assert_eq!(printed(PLAIN, &[chunk]), ("Hel\n".to_owned(), false));
        assert_eq!(printed(Format::JsonLines, &[chunk]), (format!("{chunk}\n"), false));
    }

    #[test]
    fn terminal_output_has_colors_and_indented_json() {
        let (colored, _) = printed(Format::Text(Styling::Colored), &[CALL]);
        assert!(colored.contains("\x1b[1mf\x1b[0m {  }  \x1b[2m(1)\x1b[0m\n"), "{colored:?}");
        let mut out = Vec::new();
        let answer =
            ConversationResponseAlpha2 { context_id: Some("c".to_owned()), outputs: vec![] };
        AnswerPrinter::new(&mut out, Format::Json { pretty: true }).print(answer).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "{\n  \"contextId\": \"c\"\n}\n");
    }
}
