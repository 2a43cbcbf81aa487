//! The answer on standard output, for people or as JSON.

use std::io::Write;

use super::{error::Error, note};
use crate::{
    base::terminal::Look,
    client,
    wire::{
        json,
        proto::{
            ConversationResponseAlpha2, ConversationResultAlpha2, ConversationStreamCompleteAlpha2,
            ConversationStreamResponseAlpha2, ConversationToolCalls,
            conversation_stream_response_alpha2::Message, conversation_tool_calls::ToolTypes,
        },
    },
};

/// How an answer looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Its text and its tool calls.
    Text(Look),
    /// One JSON object; on one line unless it is pretty.
    Json { pretty: bool },
    /// Each message of a stream on a line; an answer in one piece is the last of them.
    JsonLines,
}

/// Prints one answer.
#[derive(Debug)]
pub(super) struct Printer<W> {
    out: W,
    form: Form,
    /// Whether text of a stream is printed.
    has_text: bool,
    /// Whether that text has ended in the middle of a line.
    line_is_open: bool,
    is_complete: bool,
}

impl<W: Write> Printer<W> {
    pub(super) fn new(out: W, form: Form) -> Self {
        Self { out, form, has_text: false, line_is_open: false, is_complete: false }
    }

    /// Prints an answer that came in one piece.
    pub(super) fn whole(&mut self, answer: ConversationResponseAlpha2) -> Result<(), Error> {
        if let Form::Json { pretty } = self.form {
            let json = json::value(&answer)?;
            let json = if pretty { format!("{json:#}") } else { json.to_string() };
            return Ok(writeln!(self.out, "{json}")?);
        }
        let ConversationResponseAlpha2 { context_id, outputs } = answer;
        let end = Message::Complete(ConversationStreamCompleteAlpha2 { context_id, outputs });
        self.piece(&ConversationStreamResponseAlpha2 { message: Some(end) })
    }

    /// Prints a message of a stream, at once.
    pub(super) fn piece(&mut self, piece: &ConversationStreamResponseAlpha2) -> Result<(), Error> {
        if let Some(Message::Complete(_)) = piece.message {
            self.is_complete = true;
        }
        match (&piece.message, self.form) {
            (Some(Message::Chunk(chunk)), Form::Text(look)) => self.text(&chunk.content, look)?,
            (Some(Message::Complete(end)), Form::Text(look)) => {
                self.answer(&end.outputs, look)?;
            }
            (None, Form::Text(_)) => {}
            (_, Form::Json { .. } | Form::JsonLines) => {
                writeln!(self.out, "{}", json::write(piece)?)?;
            }
        }
        Ok(self.out.flush()?)
    }

    /// Ends a stream, and says whether it had its last message.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        self.end_line()?;
        if self.is_complete { Ok(()) } else { Err(client::Error::BrokenOff.into()) }
    }

    /// Ends the line that the text of a stream left open.
    pub(super) fn end_line(&mut self) -> Result<(), Error> {
        if std::mem::take(&mut self.line_is_open) {
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn text(&mut self, text: &str, look: Look) -> Result<(), Error> {
        if let Some(last) = text.chars().last() {
            self.has_text = true;
            self.line_is_open = last != '\n';
        }
        Ok(write!(self.out, "{}", look.text(text))?)
    }

    /// Prints what a stream, if there was one, has not said already.
    fn answer(&mut self, outputs: &[ConversationResultAlpha2], look: Look) -> Result<(), Error> {
        self.end_line()?;
        let is_streamed = self.has_text;
        let mut is_empty = !is_streamed;
        for choice in outputs.iter().flat_map(|output| &output.choices) {
            note_reason(&choice.finish_reason);
            let Some(message) = &choice.message else { continue };
            is_empty &= message.content.is_empty() && message.tool_calls.is_empty();
            if !is_streamed {
                self.text(&message.content, look)?;
                self.end_line()?;
            }
            for call in &message.tool_calls {
                writeln!(self.out, "{}", shown_call(call, look))?;
            }
        }
        if is_empty {
            note("the answer is empty");
        }
        Ok(())
    }
}

/// A model that stopped because it was done needs no words.
pub(super) fn note_reason(finish_reason: &str) {
    if !matches!(finish_reason, "" | "stop" | "tool_calls") {
        note(&format!("the model stopped early: {finish_reason}"));
    }
}

/// A tool call on one line: the name, the arguments, the id.
fn shown_call(call: &ConversationToolCalls, look: Look) -> String {
    let mut line = match &call.tool_types {
        Some(ToolTypes::Function(function)) => {
            let arguments = on_one_line(&function.arguments);
            format!("{} {}", look.bold(&function.name), look.text(&arguments))
        }
        None => look.bold("a call without a function"),
    };
    if let Some(id) = call.id.as_deref().filter(|id| !id.is_empty()) {
        line += &format!("  {}", look.dim(&format!("({id})")));
    }
    line
}

/// A line break within JSON is only white space.
fn on_one_line(arguments: &str) -> String {
    arguments.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::json::read;

    /// What is printed of these messages of a stream, and whether that was all of it.
    fn printed(form: Form, pieces: &[&str]) -> (String, bool) {
        let mut out = Vec::new();
        let mut printer = Printer::new(&mut out, form);
        for piece in pieces {
            printer.piece(&read(piece.as_bytes()).unwrap()).unwrap();
        }
        let is_whole = printer.end().is_ok();
        (String::from_utf8(out).unwrap(), is_whole)
    }

    const PLAIN: Form = Form::Text(Look::Plain);
    const CALL: &str = r#"{"complete": {"outputs": [{"choices": [{"message": {
        "content": "Hello!",
        "toolCalls": [{"id": "1", "function": {"name": "f", "arguments": "{\r\n}"}}, {}]
    }}]}]}}"#;

    #[test]
    fn text_that_has_come_is_not_said_again() {
        let chunks = [r#"{"chunk": {"content": "Hel"}}"#, r#"{"chunk": {"content": "lo!"}}"#, CALL];
        let expected = "Hello!\nf {  }  (1)\na call without a function\n";
        assert_eq!(printed(PLAIN, &chunks), (expected.to_owned(), true));
        assert_eq!(printed(PLAIN, &[CALL]), (expected.to_owned(), true));
    }

    #[test]
    fn a_line_is_ended_once() {
        let complete = r#"{"complete": {}}"#;
        for text in ["a\\nb", "a\\nb\\n"] {
            let chunk = format!(r#"{{"chunk": {{"content": "{text}"}}}}"#);
            assert_eq!(printed(PLAIN, &[&chunk, complete]), ("a\nb\n".to_owned(), true));
        }
    }

    #[test]
    fn a_stream_without_its_last_message_is_not_whole() {
        let chunk = r#"{"chunk":{"content":"Hel"}}"#;
        assert_eq!(printed(PLAIN, &[chunk]), ("Hel\n".to_owned(), false));
        assert_eq!(printed(Form::JsonLines, &[chunk]), (format!("{chunk}\n"), false));
    }

    #[test]
    fn a_terminal_has_colours_and_indented_json() {
        let (coloured, _) = printed(Form::Text(Look::Colours), &[CALL]);
        assert!(coloured.contains("\x1b[1mf\x1b[0m {  }  \x1b[2m(1)\x1b[0m\n"), "{coloured:?}");
        let mut out = Vec::new();
        let answer =
            ConversationResponseAlpha2 { context_id: Some("c".to_owned()), outputs: vec![] };
        Printer::new(&mut out, Form::Json { pretty: true }).whole(answer).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "{\n  \"contextId\": \"c\"\n}\n");
    }
}
