//! Removes secrets from requests.

#[cfg(test)]
mod tests;

use std::{borrow::Cow, sync::Arc};

use arc_swap::ArcSwap;
use serde_json::Value;

pub(crate) use crate::base::redactor::Redactor;
use crate::{
    base::secrets::{REDACTED, is_secret_name, last_words},
    chat::{LazyJson, Message, Request, Role, ToolCall},
    wire::sent::SentRequest,
};

/// Removes the secrets that are known now. All parts of a sidecar share it.
pub(crate) type CurrentRedactor = Arc<ArcSwap<Redactor>>;

/// Removes secrets from requests.
pub(crate) trait RedactRequest {
    /// Returns a request as JSON, in which secrets are found. One that cannot be decoded is hidden if it may have
    /// any, because it does not show where they end.
    fn readable(&self, request: &SentRequest) -> Value;

    /// Removes the secrets from what conditions see of a decoded request. They do not see schemas.
    fn redact_request(&self, request: &mut Request);
}

impl RedactRequest for Redactor {
    fn readable(&self, request: &SentRequest) -> Value {
        match request.parsed() {
            Some(json) => json,
            None if is_suspicious(self, request) => REDACTED.into(),
            None => request.undecoded().into(),
        }
    }

    fn redact_request(&self, request: &mut Request) {
        let Request { model, messages, tools, metadata, parameters, .. } = request;
        model.iter_mut().for_each(|model| self.redact_text(model));
        messages.iter_mut().for_each(|message| redact_message(self, message));
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
}

fn is_suspicious(redactor: &Redactor, request: &SentRequest) -> bool {
    let text = String::from_utf8_lossy(&request.body);
    // Only JSON shows where the name of a secret is.
    let has_name = || {
        let text = text.to_ascii_lowercase();
        !request.is_json() && last_words().any(|word| text.contains(word))
    };
    matches!(redactor.redacted(&text), Cow::Owned(_)) || has_name()
}

fn redact_message(redactor: &Redactor, message: &mut Message) {
    let Message { role, name, parts, attachments: _ } = message;
    name.iter_mut().chain(parts).for_each(|text| redactor.redact_text(text));
    match role {
        Role::Assistant { tool_calls } => {
            for ToolCall { id, name, arguments } in tool_calls {
                id.iter_mut().chain([name, arguments]).for_each(|text| redactor.redact_text(text));
            }
        }
        Role::Tool { id, name } => {
            id.iter_mut().chain([name]).for_each(|text| redactor.redact_text(text));
        }
        Role::Developer | Role::System | Role::User => {}
    }
}
