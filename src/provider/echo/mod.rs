//! `conversation.echo`: a perfect test double. It repeats the last user message, calls the tools
//! that the user mentions with valid arguments, and ends every tool loop.

mod arguments;
mod calls;
mod ids;
mod matching;
mod reply;
mod response_format;
mod settings;
mod usage;

use std::sync::Arc;

use futures_util::{
    FutureExt, StreamExt,
    future::{self, BoxFuture},
    stream::BoxStream,
};

use self::reply::reply;
pub use self::settings::{ArgumentStyle, EchoSettings};
use super::{Provider, ProviderError};
use crate::{
    chat::{Delta, Request, Response},
    stream::deltas,
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
}

impl Provider for Echo {
    fn converse<'a>(
        &'a self,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Response, ProviderError>> {
        future::ready(Ok(reply(&self.component, &self.settings, request))).boxed()
    }

    fn stream(
        self: Arc<Self>,
        request: Request,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        let response = reply(&self.component, &self.settings, &request);
        deltas(response, self.settings.chunk_delay).map(Ok).boxed()
    }
}
