//! A request and its answer.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use mynah_core::{
    base::redactor::Redactor,
    chat::{Choice, LazyJson, ProviderError, Request, Response, Tool, ToolCall},
};
use serde_json::{Value, json};

use crate::rules::matching::request::{RequestForm, tool_hash};

/// A request and its answer.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The session of the call.
    pub session: String,
    /// The request.
    pub request: RequestForm,
    /// The offered tools, by the hashes in the request.
    pub tools: BTreeMap<String, Value>,
    /// The answer.
    pub answer: RecordedAnswer,
    /// How often the session has got its previous answer to the request again, without being added.
    pub repeats: usize,
}

impl Exchange {
    /// Creates an exchange.
    pub fn new(request: &Request, component: &str, session: &str, answer: RecordedAnswer) -> Self {
        let hashes: Vec<_> = request.tools.iter().map(tool_hash).collect();
        let tool = |(tool, hash): (&Tool, &String)| {
            let parameters = tool.parameters.as_ref().map(LazyJson::read);
            let Tool { name, description, .. } = tool;
            let json =
                json!({ "name": name, "description": description, "parameters": parameters });
            (hash.clone(), json)
        };
        Self {
            session: session.to_owned(),
            request: RequestForm::with_hashes(request, component, &hashes),
            tools: request.tools.iter().zip(&hashes).map(tool).collect(),
            answer,
            repeats: 0,
        }
    }

    /// Removes the secrets. Returns `true` if there are any.
    pub fn redact(&mut self, redactor: &Redactor) -> bool {
        let mut found = false;
        let mut redact = |text: &mut String| {
            if let Cow::Owned(redacted) = redactor.redacted(text) {
                *text = redacted;
                found = true;
            }
        };
        self.request.change_texts(&mut redact);
        change_texts(&mut self.answer.end, &mut redact);
        self.tools.values_mut().for_each(|tool| redactor.redact(tool));
        found
    }
}

/// Removes the secrets from an answer or an error.
pub fn redact_answer(end: &mut Result<Response, ProviderError>, redactor: &Redactor) {
    change_texts(end, &mut |text| {
        if let Cow::Owned(redacted) = redactor.redacted(text) {
            *text = redacted;
        }
    });
}

fn change_texts(end: &mut Result<Response, ProviderError>, change: &mut dyn FnMut(&mut String)) {
    match end {
        Ok(Response { reasoning, content, tool_calls, others, .. }) => {
            let mut change_choice = |texts: [&mut String; 2], calls: &mut Vec<ToolCall>| {
                let arguments = calls.iter_mut().map(|call| &mut call.arguments);
                texts.into_iter().chain(arguments).for_each(&mut *change);
            };
            change_choice([reasoning, content], tool_calls);
            for Choice { reasoning, content, tool_calls, .. } in others {
                change_choice([reasoning, content], tool_calls);
            }
        }
        Err(error) => change(&mut error.message),
    }
}

/// What a model has answered.
#[derive(Debug, Clone)]
pub struct RecordedAnswer {
    /// The answer, or the error.
    pub end: Result<Response, ProviderError>,
    /// The lengths of the chunks of the text in characters, if the answer was streamed.
    pub chunks: Option<Vec<usize>>,
    /// The lengths of the chunks of the reasoning in characters.
    pub reasoning_chunks: Vec<usize>,
    /// Where it comes from.
    pub recorded: Recorded,
}

/// Where an answer comes from.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// The day, such as 2026-11-27.
    pub date: String,
    /// How long the model took.
    pub duration: Duration,
    /// Name of the model, as it calls itself.
    pub model: Option<String>,
}
