//! `conversation.echo`: a perfect test double. It repeats the last user message, calls the tools
//! that the user mentions with valid arguments, and ends every tool loop. With `mode: daprd` it is
//! Dapr's own echo instead.

mod arguments;
mod calls;
mod daprd;
mod matching;
mod reply;
mod response_format;
mod settings;

use std::sync::Arc;

use futures_util::{
    FutureExt, StreamExt,
    future::{self, BoxFuture},
    stream::{self, BoxStream},
};

pub use self::settings::{ArgumentStyle, EchoSettings, Mode};
use super::{Provider, ProviderError};
use crate::{
    chat::{Delta, Request, Response},
    provider::stream::deltas,
};

/// The echo of one component.
#[derive(Debug, Clone)]
pub struct Echo {
    component: String,
    settings: EchoSettings,
}

impl Echo {
    /// The echo of the component of that name.
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
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        future::ready(self.reply(&request)).boxed()
    }

    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        match self.reply(&request) {
            Ok(response) => deltas(response, self.settings.pace),
            Err(error) => stream::once(future::ready(Err(error))).boxed(),
        }
    }
}
