//! The steps of a call, the same for every surface: decode, find the component, answer, encode.

use std::sync::Arc;

use futures_util::{Stream, future::Either};

use crate::{
    base::blocking::{LARGE, Panicked, run_blocking},
    chat::{self, Delta, Request},
    engine::{Component, Engine, ReachedCall, ReachedElsewhere, Recording},
    provider::CallContext,
    wire::{
        conversation::ConverseRequest, error::Error, headers::session_in_metadata,
        undecoded::Undecoded,
    },
};

/// Returns the whole answer to a request.
///
/// # Errors
///
/// Fails if the request is malformed, the component does not exist, daprd would reject the request,
/// the provider fails, or the memory limit is reached.
// Not an `async fn`, because its future would have room for each argument twice.
pub fn converse<M: ConverseRequest>(
    components: &Arc<impl FindComponent>,
    request: impl Undecoded<M>,
    mut context: CallContext,
) -> impl Future<Output = Result<M::Response, Error>> + Send {
    let mut recording = components.engine().record(&mut context, false, || request.sent());
    let cancel = context.cancel_on_drop();
    async move {
        let (call, passthrough) = reach(components, request, context, &mut recording).await?;
        let response = call.converse(&mut recording, &cancel).await?;
        Ok(M::response(*response, passthrough))
    }
}

/// Returns the answer to a request as a stream of pieces.
///
/// # Errors
///
/// Fails like [`converse`] until the provider has returned its first delta. Later errors end the
/// stream.
pub async fn stream<M: ConverseRequest, R: Undecoded<M>, F: FindComponent>(
    components: &Arc<F>,
    request: R,
    mut context: CallContext,
) -> Result<impl Stream<Item = Result<M::StreamResponse, chat::Error>> + Send + use<M, R, F>, Error>
{
    let mut recording = components.engine().record(&mut context, true, || request.sent());
    let cancel = context.cancel_on_drop();
    let (call, mut passthrough) = reach(components, request, context, &mut recording).await?;
    let encode = move |delta| match delta {
        Delta::Reasoning(text) => M::reasoning(text, &mut passthrough),
        Delta::Text(text) => Some(M::chunk(text, &mut passthrough)),
        Delta::Complete(response) => Some(M::complete(*response, &mut passthrough)),
    };
    Ok(call.stream(recording, cancel, encode).await?)
}

/// When the journal has room, decodes the request of a call, finds its component and passes the request to
/// its provider. Of a large call, all of this is one job on a blocking thread. What comes later, such as
/// waiting for a model, belongs to the task of the call.
async fn reach<M: ConverseRequest>(
    components: &Arc<impl FindComponent>,
    request: impl Undecoded<M>,
    mut context: CallContext,
    recording: &mut Recording,
) -> Result<(ReachedCall, M::Passthrough), Error> {
    if recording.must_wait() {
        // Boxed, here and below, so that the future of a brief call stays small.
        Box::pin(recording.wait_for_room()).await;
    }
    let found = match request.decode_briefly() {
        Ok(Either::Left(message)) if components.must_look_up(message.component()) => {
            Box::pin(look_up_and_find(&**components, message, &mut context)).await
        }
        Ok(Either::Left(message)) => find(&**components, message, &mut context),
        Ok(Either::Right(request)) => {
            let call = reach_later(components.clone(), request, context, recording);
            return Box::pin(call).await;
        }
        Err(error) => Err(error),
    };
    let (component, request, passthrough) = match found {
        Ok(found) => found,
        Err(error) => return Err(recording.rejected(error, &context)),
    };
    recording.reached(&component.metrics, &context);
    let call = if Component::is_brief(&request) {
        component.call(request, context)
    } else {
        let of_call = context.clone();
        let call = run_blocking(move || component.call(request, of_call));
        let called = Box::pin(call).await;
        called.map_err(|it| recording.rejected(panicked("provider", it), &context))?
    };
    Ok((call, passthrough))
}

/// Does the same for a request that takes long to decode. The task of the call keeps the recording.
async fn reach_later<M: ConverseRequest>(
    components: Arc<impl FindComponent>,
    request: impl Undecoded<M>,
    context: CallContext,
    recording: &mut Recording,
) -> Result<(ReachedCall, M::Passthrough), Error> {
    let (of_job, of_call) = (components.clone(), context.clone());
    let recorded = recording.reached_elsewhere();
    let next = move |message: M| match of_job.must_look_up(message.component()) {
        true => Either::Right(message),
        false => Either::Left(reach_now(&*of_job, message, of_call, &recorded)),
    };
    let reached = match decode_blocking(request, &context, next).await {
        Ok(Either::Left(reached)) => reached,
        Ok(Either::Right(message)) => {
            look_up_and_reach(components, message, &context, recording).await
        }
        Err(error) => return Err(recording.rejected(error, &context)),
    };
    reached.map_err(|rejected| {
        let (error, context) = *rejected;
        recording.rejected(error, &context)
    })
}

/// A call that has reached its provider, or the error and what is known of a call that has not.
type Reached<M> =
    Result<(ReachedCall, <M as ConverseRequest>::Passthrough), Box<(Error, CallContext)>>;

/// Finds the component for a message and passes the request to its provider, on a blocking thread.
fn reach_now<M: ConverseRequest>(
    components: &impl FindComponent,
    message: M,
    mut context: CallContext,
    recorded: &ReachedElsewhere,
) -> Reached<M> {
    match find(components, message, &mut context) {
        Ok((component, request, passthrough)) => {
            recorded.reached(&component.metrics, &context);
            Ok((component.call(request, context), passthrough))
        }
        Err(error) => Err(Box::new((error, context))),
    }
}

/// Does the same for a component that is not loaded.
async fn look_up_and_reach<M: ConverseRequest>(
    components: Arc<impl FindComponent>,
    message: M,
    context: &CallContext,
    recording: &mut Recording,
) -> Reached<M> {
    let failed = |error| Box::new((error, context.clone()));
    components.engine().look_up().await.map_err(failed)?;
    let (of_call, recorded) = (context.clone(), recording.reached_elsewhere());
    let reach = move || reach_now(&*components, message, of_call, &recorded);
    run_blocking(reach).await.map_err(|it| failed(panicked("provider", it)))?
}

/// Finds the component that a request names.
pub trait FindComponent: Send + Sync + 'static {
    /// Returns the component.
    ///
    /// # Errors
    ///
    /// Fails if there is no component with this name.
    fn find(&self, name: &str) -> Result<Arc<Component>, Error>;

    /// Returns `true` if the component is not loaded, but may be one of daprd.
    fn must_look_up(&self, _name: &str) -> bool {
        false
    }

    /// Returns the engine, which records the call.
    fn engine(&self) -> &Engine;
}

impl FindComponent for Engine {
    fn find(&self, name: &str) -> Result<Arc<Component>, Error> {
        Ok(self.components.find(name)?)
    }

    fn must_look_up(&self, name: &str) -> bool {
        self.must_look_up(name)
    }

    fn engine(&self) -> &Engine {
        self
    }
}

/// Maximum length of a session's name in bytes.
pub(super) const MAX_SESSION_NAME: usize = 256;

/// Decodes a request and takes the next step, on a blocking thread if that may take long.
pub(super) async fn decode<M: Send + 'static, T: Send + 'static>(
    request: impl Undecoded<M>,
    context: &CallContext,
    next: impl FnOnce(M) -> T + Send + 'static,
) -> Result<T, Error> {
    match request.decode_briefly()? {
        Either::Left(message) => Ok(next(message)),
        // Boxed, so that the future of a brief call stays small.
        Either::Right(request) => Box::pin(decode_blocking(request, context, next)).await,
    }
}

/// Decodes a request and takes the next step in one job on a blocking thread, or in a second one if the
/// request has to wait for memory. The job itself never waits, because there are few such threads.
async fn decode_blocking<M: Send + 'static, T: Send + 'static>(
    request: impl Undecoded<M>,
    context: &CallContext,
    next: impl FnOnce(M) -> T + Send + 'static,
) -> Result<T, Error> {
    let of_job = context.clone();
    let decode = move || {
        let size = (request.size() > LARGE).then(|| request.decoded_size());
        match size.filter(|size| !of_job.reserve_now(*size)) {
            None => Either::Left(request.decode().map(next)),
            Some(size) => Either::Right((size, move || request.decode().map(next))),
        }
    };
    match run_blocking(decode).await.map_err(|it| panicked("decoder", it))? {
        Either::Left(decoded) => decoded,
        Either::Right((size, decode)) => {
            context.reserve(size).await?;
            run_blocking(decode).await.map_err(|it| panicked("decoder", it))?
        }
    }
}

/// The request is shared, because moving a pointer is cheaper.
type Found<M> = (Arc<Component>, Arc<Request>, <M as ConverseRequest>::Passthrough);

/// Finds the component for a message, and checks that it may get the message.
fn find<M: ConverseRequest>(
    components: &impl FindComponent,
    message: M,
    context: &mut CallContext,
) -> Result<Found<M>, Error> {
    let component = components.find(message.component())?;
    let (request, passthrough) = message.into_chat(&component.own_tools)?;
    component.check(&request)?;
    complete_context::<M>(context, &request)?;
    Ok((component, Arc::new(request), passthrough))
}

/// Does the same for a component that is not loaded.
async fn look_up_and_find<M: ConverseRequest>(
    components: &impl FindComponent,
    message: M,
    context: &mut CallContext,
) -> Result<Found<M>, Error> {
    components.engine().look_up().await?;
    find(components, message, context)
}

/// Adds what only the decoded request tells of a call. A header with the session takes precedence
/// over the metadata of the request.
fn complete_context<M: ConverseRequest>(
    context: &mut CallContext,
    request: &Request,
) -> Result<(), Error> {
    context.set_alpha1(M::IS_ALPHA1);
    context.set_session_of_request(session_in_metadata(request));
    match context.session_name().len() {
        0 => Err(Error::NoSessionName),
        got if got > MAX_SESSION_NAME => Err(Error::SessionName { got, limit: MAX_SESSION_NAME }),
        _ => Ok(()),
    }
}

/// Encodes something of this size in bytes, on a blocking thread if it is large.
pub(super) async fn encode<T: Send + 'static>(
    size: usize,
    encode: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    if size <= LARGE {
        return encode();
    }
    // Boxed, so that the future of a call with a small answer stays small.
    Box::pin(run_blocking(encode)).await.map_err(|it| panicked("encoder", it))?
}

/// Returns the error for work on a body, such as that of the decoder, that panicked.
fn panicked(who: &str, _: Panicked) -> Error {
    Error::BodyRead(format!("the {who} panicked; see the log"))
}
