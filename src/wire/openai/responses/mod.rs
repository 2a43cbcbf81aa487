//! OpenAI's Responses API.
//!
//! Source: <https://platform.openai.com/docs/api-reference/responses>.

mod body;
mod decode;
mod document;
mod events;
mod history;
mod items;

use std::{collections::BTreeSet, ops::Range};

use bytes::Bytes;
use serde::Serialize;

use self::document::Outline;
pub(crate) use self::{document::KeptResponse, events::Position};
pub use self::{
    document::ResponseAnswer,
    events::{ResponsePiece, ResponseProgress},
};
use super::{
    ModelRequest,
    completion::encode,
    tool_choice::{Choice, apply},
};
use crate::{
    chat::{Delta, Request, Response},
    wire::{conversation::ConverseRequest, error::Error, sent::SentApi},
};

/// A request for a response.
#[derive(Debug)]
pub struct ResponseRequest {
    component: String,
    /// Whether the answer is to be streamed.
    pub(crate) is_streamed: bool,
    /// The id of the response that the request continues.
    pub(crate) previous: Option<String>,
    /// Whether the input has references to items of earlier responses.
    pub(crate) has_references: bool,
    pub(crate) request: Request,
    /// Depends on the tools of the component, which is not known yet.
    tool_choice: Option<Choice>,
    outline: Outline,
    /// Where in the body the attachments are that are too large for the journal.
    large_attachments: Vec<Range<usize>>,
}

impl ResponseRequest {
    /// Returns a body with a history before its input, and with items in place of the references to
    /// them. `item` returns the JSON of an item.
    ///
    /// # Errors
    ///
    /// Fails if there is no item for a reference.
    pub(crate) fn continued(
        body: &[u8],
        history: Option<&KeptResponse>,
        item: impl Fn(&str) -> Result<String, Error>,
    ) -> Result<Bytes, Error> {
        history::continued(body, history.map_or("", |kept| &kept.items), item)
    }

    /// Names the response as that of another request, which has no history before its input.
    pub(crate) fn answer_as(&mut self, other: &Self) {
        self.outline.hash = other.outline.hash;
    }
}

impl ModelRequest for ResponseRequest {
    const API: SentApi = SentApi::OpenAiResponse;

    fn model(&self) -> &str {
        &self.outline.model
    }

    fn set_component(&mut self, name: String) {
        if self.outline.model.is_empty() {
            self.outline.model.clone_from(&name);
        }
        self.component = name;
    }

    fn large_attachments(&self) -> &[Range<usize>] {
        &self.large_attachments
    }
}

impl ConverseRequest for ResponseRequest {
    type Response = ResponseAnswer;
    type StreamResponse = ResponsePiece;
    type Passthrough = ResponseProgress;

    fn component(&self) -> &str {
        &self.component
    }

    fn into_chat(self, own_tools: &BTreeSet<String>) -> Result<(Request, ResponseProgress), Error> {
        let Self { outline, mut request, tool_choice, .. } = self;
        apply(tool_choice, &mut request, own_tools)?;
        Ok((request, ResponseProgress::new(outline)))
    }

    fn response(response: Response, progress: ResponseProgress) -> ResponseAnswer {
        ResponseAnswer { outline: progress.outline, response }
    }

    fn chunk(text: String, progress: &mut ResponseProgress) -> ResponsePiece {
        progress.piece(Delta::Text(text))
    }

    fn complete(response: Response, progress: &mut ResponseProgress) -> ResponsePiece {
        progress.piece(Delta::Complete(Box::new(response)))
    }
}

#[derive(Serialize)]
struct Removed<'a> {
    id: &'a str,
    object: &'static str,
    deleted: bool,
}

/// Encodes the answer to a request that removes a response.
pub(crate) fn removed_response(id: &str) -> String {
    encode(&Removed { id, object: "response", deleted: true })
}
