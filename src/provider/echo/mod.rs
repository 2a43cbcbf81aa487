//! `conversation.echo`: a deterministic test double of a language model.
//!
//! Echo repeats the last user message or, if the message mentions tools, calls them with valid
//! arguments. It answers tool results by repeating them, so every tool loop ends. With `mode:
//! daprd`, it reproduces Dapr's own echo instead.

mod arguments;
mod daprd;
mod effort;
mod facts;
mod matching;
mod reply;
mod response_format;
mod schemas;
mod settings;
pub(crate) mod text;
mod tool_calls;

use std::sync::Arc;

use futures_util::{
    FutureExt, StreamExt,
    future::{self, BoxFuture},
    stream::{self, BoxStream},
};

use self::effort::{Effort, FullEffort, Unfinished};
pub use self::settings::{ArgumentStyle, EchoSettings, Mode};
use super::{CallContext, Provider, ProviderError, stream::StreamOptions, stream::deltas};
use crate::chat::{Delta, Request, Response};

/// Memory that a reply on a blocking thread waits for.
const LONG_REPLY: usize = 64 * 1024;

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

    /// Replies to a request, or returns `None` if a reply takes longer than about a millisecond.
    fn brief_reply(
        &self,
        request: &Request,
        context: &CallContext,
    ) -> Option<Result<Response, ProviderError>> {
        match self.settings.mode {
            Mode::Mynah => self.try_reply(request, context, &Effort::Brief).ok().map(Ok),
            Mode::Daprd => Some(daprd::reply(request)),
        }
    }

    /// Replies to a request on a blocking thread.
    async fn long_reply(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> Result<Response, ProviderError> {
        let memory = context.reservation();
        // Goes on without it, since a small reply may need less.
        let _ = memory.grow(LONG_REPLY).await;
        let effort = Arc::new(FullEffort::new(context.cancellation(), memory));
        // Kept while the reply waits for this task, which then charges the response.
        let (of_reply, call) = (effort.clone(), context.clone());
        let reply = move || Ok(self.try_reply(&request, &call, &Effort::Full(of_reply)));
        let reply = context.run_blocking(reply).await?;
        reply.map_err(|Unfinished| match effort.exhausted() {
            Some(error) => context.exhausted(error).into(),
            None => ProviderError::internal("the reply is unfinished"),
        })
    }

    fn try_reply(
        &self,
        request: &Request,
        context: &CallContext,
        effort: &Effort,
    ) -> Result<Response, Unfinished> {
        reply::reply(&self.component, &self.settings, request, context.unseen(), effort)
    }
}

impl Provider for Echo {
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        match self.brief_reply(&request, &context) {
            Some(reply) => future::ready(reply).boxed(),
            None => self.long_reply(request, context).boxed(),
        }
    }

    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        let options = self.settings.stream;
        match self.brief_reply(&request, &context) {
            Some(reply) => stream_reply(reply, options, &context),
            None => stream::once(self.long_reply(request, context.clone()))
                .flat_map(move |reply| stream_reply(reply, options, &context))
                .boxed(),
        }
    }
}

fn stream_reply(
    reply: Result<Response, ProviderError>,
    options: StreamOptions,
    context: &CallContext,
) -> BoxStream<'static, Result<Delta, ProviderError>> {
    match reply {
        Ok(response) => deltas(response, options, context),
        Err(error) => stream::once(future::ready(Err(error))).boxed(),
    }
}
