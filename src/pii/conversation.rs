//! Scrubs requests and responses.
//!
//! As in Dapr, message texts and response contents are scrubbed, but tool calls are not.

use std::{borrow::Cow, ops::Range};

use super::Scrubber;
use crate::chat::{Request, Response, Role};

impl Scrubber {
    /// Scrubs each text in the inputs that the request marks for scrubbing. In user messages, the
    /// ranges that `protected` returns remain unchanged.
    pub(crate) fn scrub_inputs(
        self,
        request: &mut Request,
        protected: impl Fn(&str) -> Vec<Range<usize>>,
    ) {
        let inputs = std::mem::take(&mut request.scrub_inputs);
        for messages in inputs.iter().cloned() {
            for message in request.messages.get_mut(messages).unwrap_or_default() {
                let is_user = matches!(message.role, Role::User);
                for text in &mut message.parts {
                    let kept = if is_user { protected(text) } else { Vec::new() };
                    self.scrub_around(text, &kept);
                }
            }
        }
        request.scrub_inputs = inputs;
    }

    /// Scrubs everything except the `kept` ranges, which must be sorted and disjoint.
    fn scrub_around(self, text: &mut String, kept: &[Range<usize>]) {
        if kept.is_empty() {
            return self.scrub_in_place(text);
        }
        let (mut scrubbed, mut from) = (String::new(), 0);
        for Range { start, end } in kept {
            scrubbed += &self.scrub(&text[from..*start]);
            scrubbed += &text[*start..*end];
            from = *end;
        }
        scrubbed += &self.scrub(&text[from..]);
        *text = scrubbed;
    }

    /// Scrubs the reasoning and the content of all choices of a response. The token usage does not change.
    pub(crate) fn scrub_response(self, response: &mut Response) {
        self.scrub_in_place(&mut response.reasoning);
        self.scrub_in_place(&mut response.content);
        for other in &mut response.others {
            self.scrub_in_place(&mut other.reasoning);
            self.scrub_in_place(&mut other.content);
        }
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
    fn scrubs_only_flagged_inputs() {
        let tool = Role::Tool { id: None, name: EMAIL.to_owned() };
        let assistant = Role::Assistant { tool_calls: vec![call()] };
        let mut parts = Message::new(Role::User, "555");
        parts.parts.push("1234".to_owned());
        let messages =
            [Role::User, tool, assistant, Role::System].map(|role| Message::new(role, EMAIL));
        let mut messages = Vec::from(messages);
        messages.push(parts.clone());
        // The last range is out of bounds.
        let scrub_inputs = vec![1..3, 4..5, 7..9];
        let mut request =
            Request { messages: messages.clone(), scrub_inputs, ..Request::default() };
        Scrubber::Dapr.scrub_inputs(&mut request, |_| Vec::new());
        for scrubbed in [1, 2] {
            messages[scrubbed].parts[0] = "<EMAIL_ADDRESS>".to_owned();
        }
        messages[4].parts[1] = "<PHONE_NUMBER>".to_owned();
        assert_eq!(request.messages, messages);
    }

    #[test]
    fn keeps_protected_ranges_of_user_messages() {
        let text = "555 1234 [555 1234] 555 1234 [555 1234]";
        let protected = |text: &str| {
            let starts = text.match_indices('[').map(|(at, _)| at);
            starts.zip(text.match_indices(']')).map(|(start, (end, _))| start..end + 1).collect()
        };
        let messages = vec![Message::new(Role::User, text), Message::new(Role::System, text)];
        let scrub_inputs = vec![0..1, 1..2];
        let mut request = Request { messages, scrub_inputs, ..Request::default() };
        Scrubber::Dapr.scrub_inputs(&mut request, protected);
        let user = "<PHONE_NUMBER> [555 1234] <PHONE_NUMBER> [555 1234]";
        assert_eq!(request.messages[0].text(), user);
        assert_eq!(request.messages[1].text(), user.replace("555 1234", "<PHONE_NUMBER>"));
    }

    #[test]
    fn keeps_tool_calls_and_usage_of_responses() {
        let usage = Some(Usage { prompt_tokens: 1, completion_tokens: 2, ..Usage::default() });
        let response = Response { tool_calls: vec![call()], usage, ..Response::default() };
        let mut scrubbed = Response {
            reasoning: EMAIL.to_owned(),
            content: format!("to {EMAIL}"),
            ..response.clone()
        };
        Scrubber::Dapr.scrub_response(&mut scrubbed);
        let [reasoning, content] = ["<EMAIL_ADDRESS>", "to <EMAIL_ADDRESS>"].map(str::to_owned);
        assert_eq!(scrubbed, Response { reasoning, content, ..response });
    }
}
