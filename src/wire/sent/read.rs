//! Reads requests as the client has sent them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    mem,
};

use bytes::Bytes;
use prost::Message;
use prost_types::Any;
use serde_json::{Map, Value, json};

use super::{Encoding, MAX_SHOWN, SentApi, SentRequest};
use crate::{
    chat::Request,
    wire::{
        component,
        components::ConverseRequest as ComponentRequest,
        conversation::{ConverseRequest, DaprRequest},
        error::Error,
        json, openai,
        proto::{ConversationRequest, ConversationRequestAlpha2},
        undecoded::Undecoded,
    },
};

impl SentRequest {
    /// Returns a body that is invalid as a text.
    pub(crate) fn undecoded(&self) -> String {
        let shown = self.shown();
        let text = match std::str::from_utf8(shown) {
            Ok(text) if self.is_json() => text.to_owned(),
            _ => hex(shown),
        };
        match self.full_length {
            None => text,
            Some(all) => format!("{text}… and {} more bytes", all - shown.len()),
        }
    }

    /// Returns what is shown of a body that is invalid.
    fn shown(&self) -> &[u8] {
        if self.full_length.is_none() {
            return &self.body;
        }
        let shown = self.body.get(..MAX_SHOWN).unwrap_or(&self.body);
        match std::str::from_utf8(shown) {
            Err(error) if self.is_json() && error.error_len().is_none() => {
                shown.get(..error.valid_up_to()).unwrap_or(shown)
            }
            _ => shown,
        }
    }

    /// Returns the request as JSON if its body is valid: proto JSON for Dapr's API.
    pub(crate) fn parsed(&self) -> Option<Value> {
        if self.full_length.is_some() {
            return None;
        }
        match self.encoding {
            Encoding::Json => serde_json::from_slice(&self.body).ok(),
            Encoding::Protobuf => self.protobuf_to_json(),
        }
    }

    fn protobuf_to_json(&self) -> Option<Value> {
        let body = self.body.clone();
        match self.api {
            SentApi::Alpha1 => {
                let mut message = message::<ConversationRequest>(body).ok()?;
                let parameters = mem::take(&mut message.parameters);
                Some(with_parameters(json::value(&message).ok()?, parameters))
            }
            SentApi::Alpha2 => alpha2_to_json(message::<ConversationRequestAlpha2>(body).ok()?),
            SentApi::Component => {
                let message = message::<ComponentRequest>(body).ok()?;
                alpha2_to_json(component::request(String::new(), message))
            }
            SentApi::OpenAi | SentApi::OpenAiResponse => None,
        }
    }

    /// Decodes the request to a component that owns the tools with these names.
    ///
    /// # Errors
    ///
    /// Fails if the request is invalid.
    pub(crate) fn to_chat(
        &self,
        component: &str,
        own_tools: &BTreeSet<String>,
    ) -> Result<Request, Error> {
        let body = self.body.clone();
        match (self.api, self.encoding) {
            (SentApi::OpenAi, _) => openai_to_chat::<openai::ChatRequest>(body, own_tools),
            (SentApi::OpenAiResponse, _) => {
                openai_to_chat::<openai::ResponseRequest>(body, own_tools)
            }
            (SentApi::Component, _) => {
                let message = message::<ComponentRequest>(body)?;
                let message = component::request(component.to_owned(), message);
                Ok(message.into_chat(own_tools)?.0)
            }
            (SentApi::Alpha1, Encoding::Protobuf) => {
                Ok(message::<ConversationRequest>(body)?.into_chat(own_tools)?.0)
            }
            (SentApi::Alpha2, Encoding::Protobuf) => {
                Ok(message::<ConversationRequestAlpha2>(body)?.into_chat(own_tools)?.0)
            }
            (SentApi::Alpha1, Encoding::Json) => {
                json_to_chat::<ConversationRequest>(&body, component, own_tools)
            }
            (SentApi::Alpha2, Encoding::Json) => {
                json_to_chat::<ConversationRequestAlpha2>(&body, component, own_tools)
            }
        }
    }
}

fn message<M: Message + Default>(body: Bytes) -> Result<M, Error> {
    Ok(M::decode(body)?)
}

fn openai_to_chat<M: openai::ModelRequest>(
    body: Bytes,
    own_tools: &BTreeSet<String>,
) -> Result<Request, Error> {
    let request: M = openai::Body(body).decode()?;
    Ok(request.into_chat(own_tools)?.0)
}

fn json_to_chat<M: DaprRequest>(
    body: &[u8],
    component: &str,
    own_tools: &BTreeSet<String>,
) -> Result<Request, Error> {
    let mut message: M = json::read_request(body)?;
    message.set_component(component.to_owned());
    Ok(message.into_chat(own_tools)?.0)
}

fn alpha2_to_json(mut message: ConversationRequestAlpha2) -> Option<Value> {
    let parameters = mem::take(&mut message.parameters);
    Some(with_parameters(json::value(&message).ok()?, parameters))
}

/// Adds the parameters. Those of an unknown type are shown in hexadecimal.
fn with_parameters(mut json: Value, parameters: BTreeMap<String, Any>) -> Value {
    if parameters.is_empty() {
        return json;
    }
    let shown = parameters.into_iter().map(|(name, any)| {
        let known = json::value(&any).ok();
        let unknown = || json!({"@type": any.type_url, "hex": hex(&any.value)});
        (name, known.unwrap_or_else(unknown))
    });
    let shown: Map<String, Value> = shown.collect();
    if let Some(members) = json.as_object_mut() {
        members.insert("parameters".to_owned(), shown.into());
    }
    json
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(message: &ConversationRequestAlpha2) -> SentRequest {
        SentRequest::protobuf(SentApi::Alpha2, &message.encode_to_vec().into())
    }

    #[test]
    fn shows_every_field_of_protobuf() {
        let json = json!({
            "name": "echo",
            "contextId": "c",
            "inputs": [{"messages": [{"ofUser": {"content": [{"text": "Hi"}]}}], "scrubPii": true}],
            "metadata": {"k": "v"},
            "parameters": {
                "p": {"@type": "type.googleapis.com/google.protobuf.StringValue", "value": "x"},
            },
            "scrubPii": false,
            "temperature": 0.5,
            "toolChoice": "none",
        });
        let message = json::read::<ConversationRequestAlpha2>(json.to_string().as_bytes()).unwrap();
        assert_eq!(sent(&message).parsed(), Some(json));
    }

    #[test]
    fn shows_unknown_parameters_and_invalid_bodies() {
        let any =
            Any { type_url: "type.googleapis.com/unknown.Type".to_owned(), value: vec![1, 255] };
        let mut message = ConversationRequestAlpha2::default();
        message.parameters.insert("p".to_owned(), any);
        let shown = sent(&message).parsed().unwrap();
        assert_eq!(shown["parameters"]["p"]["hex"], "01ff");
        let invalid = Bytes::from_static(b"\xff");
        let invalid = SentRequest::protobuf(SentApi::Alpha2, &invalid);
        assert_eq!((invalid.parsed(), &*invalid.undecoded()), (None, "ff"));
        let invalid = SentRequest::json(SentApi::OpenAi, &Bytes::from_static(b"{"));
        assert_eq!((invalid.parsed(), &*invalid.undecoded()), (None, "{"));
    }
}
