//! `conversation.echo`: a deterministic test double of a language model.
//!
//! Echo repeats the last user message or, if the message mentions tools, calls them with valid
//! arguments. It answers tool results by repeating them, so every tool loop ends. With `mode:
//! daprd`, it reproduces Dapr's own echo instead.

mod arguments;
mod daprd;
mod matching;
mod reply;
mod response_format;
mod settings;
mod tool_calls;

use std::sync::Arc;

use futures_util::{
    FutureExt, StreamExt,
    future::{self, BoxFuture},
    stream::{self, BoxStream},
};

pub use self::settings::{ArgumentStyle, EchoSettings, Mode};
use super::{CallContext, Provider, ProviderError};
use crate::{
    chat::{Delta, Request, Response},
    provider::stream::deltas,
};

/// The provider for `conversation.echo` components.
#[derive(Debug, Clone)]
pub struct Echo {
    component: String,
    settings: EchoSettings,
}

impl Echo {
    /// Creates the provider for a component. Tool call ids depend on the component's name.
    pub fn new(component: impl Into<String>, settings: EchoSettings) -> Self {
        Self { component: component.into(), settings }
    }

    fn reply(&self, request: &Request) -> Result<Response, ProviderError> {
        match self.settings.mode {
            Mode::Mynah => Ok(reply::reply(&self.component, &self.settings, request)),
            Mode::Daprd => daprd::reply(request),
        }
    }
}

impl Provider for Echo {
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        _: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        future::ready(self.reply(&request)).boxed()
    }

    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        match self.reply(&request) {
            Ok(response) => deltas(response, self.settings.stream, &context),
            Err(error) => stream::once(future::ready(Err(error))).boxed(),
        }
    }
}
