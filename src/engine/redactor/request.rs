//! Removes secrets from requests.

use std::borrow::Cow;

use serde_json::Value;

use super::Redactor;
use crate::{
    base::secrets::{REDACTED, is_secret_name, last_words},
    chat::{LazyJson, Message, Request, Role, ToolCall},
    wire::sent::SentRequest,
};

impl Redactor {
    /// Returns a request as JSON, in which secrets are found. One that cannot be decoded is hidden if it may have
    /// any, because it does not show where they end.
    pub(crate) fn readable(&self, request: &SentRequest) -> Value {
        match request.parsed() {
            Some(json) => json,
            None if self.is_suspicious(request) => REDACTED.into(),
            None => request.undecoded().into(),
        }
    }

    fn is_suspicious(&self, request: &SentRequest) -> bool {
        let text = String::from_utf8_lossy(&request.body);
        // Only JSON shows where the name of a secret is.
        let has_name = || {
            let text = text.to_ascii_lowercase();
            !request.is_json() && last_words().any(|word| text.contains(word))
        };
        matches!(self.redacted(&text), Cow::Owned(_)) || has_name()
    }

    /// Removes the secrets from what conditions see of a decoded request. They do not see schemas.
    pub(crate) fn redact_request(&self, request: &mut Request) {
        let Request { model, messages, tools, metadata, parameters, .. } = request;
        model.iter_mut().for_each(|model| self.redact_text(model));
        messages.iter_mut().for_each(|message| self.redact_message(message));
        tools.iter_mut().for_each(|tool| self.redact_text(&mut tool.name));
        for (name, value) in metadata {
            if is_secret_name(name) && !value.is_empty() {
                REDACTED.clone_into(value);
            } else {
                self.redact_text(value);
            }
        }
        for (name, parameter) in parameters {
            let mut value = parameter.value.read();
            self.redact_named(name, &mut value);
            parameter.value = LazyJson::new(value);
        }
    }

    fn redact_message(&self, message: &mut Message) {
        let Message { role, name, parts, attachments: _ } = message;
        name.iter_mut().chain(parts).for_each(|text| self.redact_text(text));
        match role {
            Role::Assistant { tool_calls } => {
                for ToolCall { id, name, arguments } in tool_calls {
                    id.iter_mut().chain([name, arguments]).for_each(|text| self.redact_text(text));
                }
            }
            Role::Tool { id, name } => {
                id.iter_mut().chain([name]).for_each(|text| self.redact_text(text));
            }
            Role::Developer | Role::System | Role::User => {}
        }
    }
}
