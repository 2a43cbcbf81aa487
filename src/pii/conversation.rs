//! What of a conversation is scrubbed: the texts of messages, and the content of an answer. Tool
//! calls are not, as in Dapr, neither those of the history nor those of the answer.

use std::borrow::Cow;

use super::Scrubber;
use crate::chat::{Request, Response};

impl Scrubber {
    /// Scrubs the inputs that want it, each text on its own.
    pub(crate) fn scrub_inputs(self, request: &mut Request) {
        for messages in std::mem::take(&mut request.scrub_inputs) {
            let messages = request.messages.get_mut(messages).unwrap_or_default();
            let texts = messages.iter_mut().flat_map(|message| &mut message.parts);
            texts.for_each(|text| self.scrub_in_place(text));
        }
    }

    /// Scrubs an answer. What it cost stays what it was.
    pub(crate) fn scrub_answer(self, response: &mut Response) {
        self.scrub_in_place(&mut response.content);
    }

    fn scrub_in_place(self, text: &mut String) {
        if let Cow::Owned(scrubbed) = self.scrub(text) {
            *text = scrubbed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Message, Role, ToolCall, Usage};

    const EMAIL: &str = "bob@example.com";

    fn call() -> ToolCall {
        ToolCall { id: None, name: "f".to_owned(), arguments: EMAIL.to_owned() }
    }

    #[test]
    fn only_inputs_that_want_it_are_scrubbed() {
        let tool = Role::Tool { id: None, name: EMAIL.to_owned() };
        let assistant = Role::Assistant { tool_calls: vec![call()] };
        let mut parts = Message::new(Role::User, "555");
        parts.parts.push("1234".to_owned());
        let messages =
            [Role::User, tool, assistant, Role::System].map(|role| Message::new(role, EMAIL));
        let mut messages = Vec::from(messages);
        messages.push(parts.clone());
        // The last does not exist.
        let scrub_inputs = vec![1..3, 4..5, 7..9];
        let mut request =
            Request { messages: messages.clone(), scrub_inputs, ..Request::default() };
        Scrubber::Dapr.scrub_inputs(&mut request);
        for scrubbed in [1, 2] {
            messages[scrubbed].parts[0] = "<EMAIL_ADDRESS>".to_owned();
        }
        messages[4].parts[1] = "<PHONE_NUMBER>".to_owned();
        assert_eq!(request.messages, messages);
    }

    #[test]
    fn an_answer_keeps_its_calls_and_its_usage() {
        let usage = Some(Usage { prompt_tokens: 1, completion_tokens: 2 });
        let answer = Response { tool_calls: vec![call()], usage, ..Response::default() };
        let mut scrubbed = Response { content: format!("to {EMAIL}"), ..answer.clone() };
        Scrubber::Dapr.scrub_answer(&mut scrubbed);
        assert_eq!(scrubbed, Response { content: "to <EMAIL_ADDRESS>".to_owned(), ..answer });
    }
}
