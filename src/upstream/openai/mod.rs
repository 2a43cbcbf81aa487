//! A model behind OpenAI's API for chat completions.
//!
//! Requests and errors are those of daprd's `conversation.openai`, so that an application sees the same
//! through mynah and through daprd. Source: <https://platform.openai.com/docs/api-reference/chat>.

mod call;
mod endpoint;
mod error;
mod events;
mod go_duration;
mod messages;
mod reply;
mod request;
mod settings;

use std::sync::Arc;

pub(crate) use self::settings::OpenAiSettings;
use self::{call::OpenAiCall, endpoint::Endpoint};
use crate::{
    base::environment::Environment,
    chat::Request,
    provider::{Answering, CallContext, Provider},
};

/// A model behind OpenAI's API.
#[derive(Debug)]
pub(crate) struct OpenAi(Arc<Endpoint>);

impl OpenAi {
    /// Creates the provider. Nothing is sent before the first call. The environment may name a proxy.
    ///
    /// # Errors
    ///
    /// Fails with a message if the proxy is invalid, or if the system's certificates cannot be read.
    pub(crate) fn new(settings: OpenAiSettings, environment: &Environment) -> Result<Self, String> {
        Endpoint::new(settings, environment).map(|endpoint| Self(endpoint.into()))
    }

    /// Returns the settings.
    pub(crate) fn settings(&self) -> &OpenAiSettings {
        &self.0.settings
    }

    /// Returns the name of the model.
    pub(crate) fn name(&self) -> &str {
        &self.0.settings.model
    }
}

impl Provider for OpenAi {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        Answering::Live(Box::new(OpenAiCall::new(self.0.clone(), request, context)))
    }
}
