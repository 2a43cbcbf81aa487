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
pub mod explain;
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
mod uncalled;

use std::sync::Arc;

use futures_util::FutureExt;
use mynah_core::{
    base::{blocking::is_blocking_thread, memory::Reservation},
    chat::{Request, Response},
    provider::{Answer, Answering, CallContext, Provider, ProviderError},
};

use self::effort::{Effort, FullEffort, Unfinished};
pub use self::settings::{ArgumentStyle, EchoSettings, Mode, Optional};

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
    fn reply_now(&self, request: &Request, context: &CallContext) -> Option<Answer> {
        if self.settings.mode == Mode::Daprd {
            return Some(self.paced(daprd::reply(request)));
        }
        if is_blocking_thread() {
            let memory = context.reservation();
            if memory.grow_now(LONG_REPLY).is_ok() {
                return Some(self.paced(self.full_reply(request, context, memory).result));
            }
        }
        let reply = self.try_reply(request, context, &Effort::Brief);
        reply.ok().map(|response| self.paced(Ok(response)))
    }

    /// Replies to a request on a blocking thread.
    async fn long_reply(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        let memory = context.reservation();
        // Goes on without it, since a small reply may need less.
        let _ = memory.grow(LONG_REPLY).await;
        let (echo, call) = (self.clone(), context.clone());
        let reply = move || Ok(echo.full_reply(&request, &call, memory));
        let reply = context.run_blocking(reply).await;
        self.paced(reply.and_then(|reply| reply.result)).into()
    }

    fn full_reply(
        &self,
        request: &Request,
        context: &CallContext,
        memory: Reservation,
    ) -> LongReply {
        let effort = Arc::new(FullEffort::new(context.cancellation(), memory));
        let result = self.try_reply(request, context, &Effort::Full(effort.clone()));
        let result = result.map_err(|Unfinished| match effort.exhausted() {
            Some(error) => context.exhausted(error).into(),
            None => ProviderError::internal("the reply is unfinished"),
        });
        LongReply { result, _memory: effort }
    }

    /// Returns a reply at the pace of the component.
    fn paced(&self, reply: Result<Response, ProviderError>) -> Answer {
        match reply {
            Ok(response) => Answer { stream: self.settings.stream, ..response.into() },
            Err(error) => error.into(),
        }
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
struct LongReply {
    result: Result<Response, ProviderError>,
    /// The memory of the reply until the call is charged for the response.
    _memory: Arc<FullEffort>,
}

impl Provider for Echo {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        match self.reply_now(&request, &context) {
            Some(answer) => answer.into(),
            None => Answering::Later(self.long_reply(request, context).boxed()),
        }
    }
}
