//! A call that has reached its component: faults, the provider's answer, scrubbing it, recording it.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use futures_util::{StreamExt, stream::Stream};

use super::{Component, faulty::Faults};
use crate::{
    base::blocking::{LARGE, run_blocking, run_blocking_if},
    chat::{Choice, Delta, Error, Request, Response},
    engine::recording::Recording,
    pii::{self, Scrubber},
    provider::{Answer, Answering, CallContext, CancelOnDrop, Deltas, ProviderError, stream},
};

/// A call that has reached its component. It belongs to the task of the call, even if another thread
/// called the provider.
pub(crate) struct ReachedCall {
    component: Arc<Component>,
    context: CallContext,
    single_tool_call: bool,
    scrub_output: bool,
    step: Step,
}

enum Step {
    /// The provider has been called.
    Called(Result<Answering, ProviderError>),
    /// Faults come first.
    Faults { faults: Box<Faults>, request: Arc<Request> },
}

impl Component {
    /// Passes a request to the provider, unless faults come first. Works as long as the request asks
    /// for, so that a request that is not [brief](Self::is_brief) wants a blocking thread.
    pub(crate) fn call(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> ReachedCall {
        let (single_tool_call, scrub_output) = (request.single_tool_call, request.scrub_output);
        let step = match self.faults(&request, &context) {
            Some(faults) => Step::Faults { faults, request },
            None => Step::Called(self.call_provider(request, &context)),
        };
        ReachedCall { component: self, context, single_tool_call, scrub_output, step }
    }
}

impl ReachedCall {
    /// Returns the whole response.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Provider`] if the provider fails.
    // Not an `async fn`, because its future would have room for the call twice.
    pub(crate) fn converse(
        self,
        recording: &mut Recording,
        cancel: &CancelOnDrop,
    ) -> impl Future<Output = Result<Box<Response>, Error>> {
        let Self { component, context, single_tool_call, scrub_output, step } = self;
        async move {
            match step.converse(&component, &context, scrub_output).await {
                Ok(mut response) => {
                    limit_calls(&mut response, single_tool_call);
                    recording.answered(&response);
                    Ok(response)
                }
                Err(error) => Err(component.record_failure(recording, error, cancel)),
            }
        }
    }

    /// Returns the response as a stream of pieces. `encode` converts each delta to a piece, or drops it.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Provider`] if the provider fails before its first delta. Later errors end
    /// the stream.
    pub(crate) async fn stream<T, F>(
        self,
        mut recording: Recording,
        cancel: CancelOnDrop,
        encode: F,
    ) -> Result<impl Stream<Item = Result<T, Error>> + Send + use<T, F>, Error>
    where
        F: FnMut(Delta) -> Option<T> + Send + Unpin,
    {
        let Self { component, context, single_tool_call, scrub_output, step } = self;
        match step.stream(&component, &context, scrub_output).await {
            Ok((first, rest)) => Ok(Encoded {
                component,
                recording,
                first: Some(first),
                rest,
                is_complete: false,
                single_tool_call,
                encode,
                cancel,
            }),
            Err(error) => Err(component.record_failure(&mut recording, error, &cancel)),
        }
    }
}

impl Step {
    async fn converse(
        self,
        component: &Arc<Component>,
        context: &CallContext,
        scrub_output: bool,
    ) -> Result<Box<Response>, ProviderError> {
        let (answering, faults) = self.finish(component, context).await?;
        let response = answering.whole(context).await?;
        let scrubber = component.scrubber;
        let response = if scrub_output { scrub(scrubber, response).await? } else { response };
        match faults {
            Some(faults) => Box::pin(faults.apply(*response)).await.map(Box::new),
            None => Ok(response),
        }
    }

    /// Returns the first delta and the rest of them.
    async fn stream(
        self,
        component: &Arc<Component>,
        context: &CallContext,
        scrub_output: bool,
    ) -> Result<(Delta, Deltas), ProviderError> {
        let (answering, faults) = self.finish(component, context).await?;
        let mut deltas = answering.pieces(context);
        if scrub_output {
            deltas = scrub_stream(component.scrubber, deltas, context).await?;
        }
        if let Some(faults) = faults {
            deltas = faults.apply_to_stream(deltas);
        }
        let first = deltas.next().await.unwrap_or_else(|| Err(stream::incomplete()))?;
        Ok((first, deltas))
    }

    /// Returns what the provider returned, and the faults of the call if it may have any.
    async fn finish(
        self,
        component: &Arc<Component>,
        context: &CallContext,
    ) -> Result<(Answering, Option<Box<Faults>>), ProviderError> {
        match self {
            Self::Called(called) => Ok((called?, None)),
            Self::Faults { mut faults, request } => {
                let (component, context) = (component.clone(), context.clone());
                // Boxed, so that the future of a call without faults stays small.
                let called = Box::pin(async {
                    faults.start().await?;
                    let is_large = !Component::is_brief(&request);
                    let call = move || component.call_provider(request, &context);
                    run_blocking_if(is_large, call).await?
                });
                Ok((called.await?, Some(faults)))
            }
        }
    }
}

/// The pieces of a response. The call is recorded when the stream ends.
///
/// Written by hand, because a chain of stream adapters would move each piece several times.
struct Encoded<F> {
    component: Arc<Component>,
    recording: Recording,
    /// The first delta, until it has been sent.
    first: Option<Delta>,
    rest: Deltas,
    is_complete: bool,
    single_tool_call: bool,
    encode: F,
    cancel: CancelOnDrop,
}

impl<T, F: FnMut(Delta) -> Option<T> + Unpin> Stream for Encoded<F> {
    type Item = Result<T, Error>;

    // Each surface wraps this stream in an adapter, into which it is not inlined without the
    // attribute.
    #[inline(always)]
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let delta = match self.first.take() {
                Some(first) => Some(Ok(first)),
                None => ready!(self.rest.poll_next_unpin(cx)),
            };
            return Poll::Ready(match delta {
                Some(Ok(mut delta)) => {
                    if let Delta::Complete(response) = &mut delta {
                        self.is_complete = true;
                        limit_calls(response, self.single_tool_call);
                        self.recording.answered(response);
                    }
                    match (self.encode)(delta) {
                        Some(piece) => Some(Ok(piece)),
                        None => continue,
                    }
                }
                Some(Err(error)) => {
                    self.is_complete = true;
                    Some(Err(self.fail(error)))
                }
                None if self.is_complete => None,
                None => {
                    self.is_complete = true;
                    Some(Err(self.fail(stream::incomplete())))
                }
            });
        }
    }
}

impl<F> Encoded<F> {
    #[cold]
    fn fail(&mut self, error: ProviderError) -> Error {
        self.component.record_failure(&mut self.recording, error, &self.cancel)
    }
}

/// Leaves out the tool calls that the request does not want.
fn limit_calls(response: &mut Response, single_tool_call: bool) {
    if single_tool_call {
        response.tool_calls.truncate(1);
        response.others.iter_mut().for_each(|other| other.tool_calls.truncate(1));
    }
}

/// Scrubs a response, on a blocking thread if the response is large.
async fn scrub(
    scrubber: Scrubber,
    mut response: Box<Response>,
) -> Result<Box<Response>, ProviderError> {
    let others = response.others.iter().map(Choice::size).sum::<usize>();
    if pii::COST * (response.reasoning.len() + response.content.len() + others) <= LARGE {
        scrubber.scrub_response(&mut response);
        return Ok(response);
    }
    let scrub = move || {
        scrubber.scrub_response(&mut response);
        response
    };
    Ok(run_blocking(scrub).await?)
}

/// Collects the whole response, since personal data may span two deltas, and splits it again.
async fn scrub_stream(
    scrubber: Scrubber,
    deltas: Deltas,
    context: &CallContext,
) -> Result<Deltas, ProviderError> {
    let response = scrub(scrubber, stream::collect(deltas).await?.into()).await?;
    Ok(Answer::from(Ok(response)).pieces(context))
}
