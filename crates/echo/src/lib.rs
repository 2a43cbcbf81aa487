//! `conversation.echo`: a deterministic test double of a language model.
//!
//! Echo repeats the last user message or, if the message mentions tools, calls them with valid
//! arguments. It answers tool results by repeating them, so every tool loop ends. With `mode:
//! daprd`, it reproduces Dapr's own echo instead.

#![forbid(unsafe_code)]

mod arguments;
mod daprd;
mod effort;
pub mod embedding;
mod facts;
mod matching;
mod reply;
mod response_format;
mod schemas;
mod settings;
pub mod text;
#[cfg(test)]
mod tests;
mod tool_calls;

use std::sync::Arc;

use futures_util::{
    FutureExt, StreamExt,
    future::{self, BoxFuture},
    stream::{self, BoxStream},
};
use mynah_core::{
    base::{blocking::is_blocking_thread, memory::Reservation},
    chat::{Delta, Request, Response},
    provider::{CallContext, Provider, ProviderError, StreamOptions, deltas},
};

use self::effort::{Effort, FullEffort, Unfinished};
pub use self::settings::{ArgumentStyle, EchoSettings, Mode};

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

    /// Replies to a request, or returns `None` if the reply has to wait for a blocking thread, because it
    /// takes longer than about a millisecond, or for memory.
    fn reply_now(&self, request: &Request, context: &CallContext) -> Option<Reply> {
        if self.settings.mode == Mode::Daprd {
            return Some(daprd::reply(request).into());
        }
        if is_blocking_thread() {
            let memory = context.reservation();
            if memory.grow_now(LONG_REPLY).is_ok() {
                return Some(self.full_reply(request, context, memory));
            }
        }
        let reply = self.try_reply(request, context, &Effort::Brief);
        reply.ok().map(|response| Ok(response).into())
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
        let call = context.clone();
        let reply = move || Ok(self.full_reply(&request, &call, memory));
        let Reply { result, memory: _until_here } = context.run_blocking(reply).await?;
        result
    }

    fn full_reply(&self, request: &Request, context: &CallContext, memory: Reservation) -> Reply {
        let effort = Arc::new(FullEffort::new(context.cancellation(), memory));
        let result = self.try_reply(request, context, &Effort::Full(effort.clone()));
        let result = result.map_err(|Unfinished| match effort.exhausted() {
            Some(error) => context.exhausted(error).into(),
            None => ProviderError::internal("the reply is unfinished"),
        });
        Reply { result, memory: Some(effort) }
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

/// A reply on its way to the task of the call.
struct Reply {
    result: Result<Response, ProviderError>,
    /// The memory of a long reply, for as long as the reply waits. Dropped before the call is charged for
    /// the response.
    memory: Option<Arc<FullEffort>>,
}

impl From<Result<Response, ProviderError>> for Reply {
    fn from(result: Result<Response, ProviderError>) -> Self {
        Self { result, memory: None }
    }
}

impl Provider for Echo {
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        match self.reply_now(&request, &context) {
            Some(Reply { result, memory }) => async move {
                drop(memory);
                result
            }
            .boxed(),
            None => self.long_reply(request, context).boxed(),
        }
    }

    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        let options = self.settings.stream;
        match self.reply_now(&request, &context) {
            Some(Reply { result, memory }) => {
                drop(memory);
                stream_reply(result, options, &context)
            }
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
