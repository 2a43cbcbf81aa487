//! The steps of a call, the same for every surface: decode, find the component, answer, encode.

use std::sync::Arc;

use futures_util::{Stream, future::Either};

use crate::{
    base::blocking::{LARGE, Panicked, run_blocking},
    chat::{self, Delta, Request},
    engine::{Component, Engine},
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
pub async fn converse<M: ConverseRequest>(
    components: &Arc<impl FindComponent>,
    request: impl Undecoded<M>,
    mut context: CallContext,
) -> Result<M::Response, Error> {
    let mut recording = components.engine().record(&mut context, false, || request.sent());
    if recording.must_wait() {
        // Boxed, so that the future of other calls stays small.
        Box::pin(recording.wait_for_room()).await;
    }
    let (component, request, passthrough) =
        match decode(request, &context, finder::<M>(components)).await {
            Ok(decoded) => decoded,
            Err(error) => return Err(recording.rejected(error, &context)),
        };
    if let Err(error) = complete_context::<M>(&mut context, &request) {
        return Err(recording.rejected(error, &context));
    }
    let response = component.converse(request, context, &mut recording).await?;
    Ok(M::response(response, passthrough))
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
    let recording = components.engine().record(&mut context, true, || request.sent());
    if recording.must_wait() {
        Box::pin(recording.wait_for_room()).await;
    }
    let (component, request, mut passthrough) =
        match decode(request, &context, finder::<M>(components)).await {
            Ok(decoded) => decoded,
            Err(error) => return Err(recording.rejected(error, &context)),
        };
    if let Err(error) = complete_context::<M>(&mut context, &request) {
        return Err(recording.rejected(error, &context));
    }
    let encode = move |delta| match delta {
        Delta::Reasoning(text) => M::reasoning(text, &mut passthrough),
        Delta::Text(text) => Some(M::chunk(text, &mut passthrough)),
        Delta::Complete(response) => Some(M::complete(*response, &mut passthrough)),
    };
    Ok(component.stream(request, context, recording, encode).await?)
}

/// Finds the component that a request names.
pub trait FindComponent: Send + Sync + 'static {
    /// Returns the component.
    ///
    /// # Errors
    ///
    /// Fails if there is no component with this name.
    fn find(&self, name: &str) -> Result<Arc<Component>, Error>;

    /// Returns the engine, which records the call.
    fn engine(&self) -> &Engine;
}

impl FindComponent for Engine {
    fn find(&self, name: &str) -> Result<Arc<Component>, Error> {
        Ok(self.components.find(name)?)
    }

    fn engine(&self) -> &Engine {
        self
    }
}

/// Maximum length of a session's name in bytes.
pub(super) const MAX_SESSION_NAME: usize = 256;

/// The request is shared, because moving a pointer is cheaper.
type Decoded<M> = (Arc<Component>, Arc<Request>, <M as ConverseRequest>::Passthrough);

/// Decodes a request and takes the next step, on a blocking thread if that may take long.
pub(super) async fn decode<M: Send + 'static, T: Send + 'static>(
    request: impl Undecoded<M>,
    context: &CallContext,
    next: impl FnOnce(M) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match request.decode_briefly()? {
        Either::Left(message) => next(message),
        // Boxed, so that the future of a brief call stays small.
        Either::Right(request) => Box::pin(decode_blocking(request, context, next)).await,
    }
}

async fn decode_blocking<M: Send + 'static, T: Send + 'static>(
    mut request: impl Undecoded<M>,
    context: &CallContext,
    next: impl FnOnce(M) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    if request.size() > LARGE {
        let measure = move || (request.decoded_size(), request);
        let measured = run_blocking(measure).await.map_err(|it| panicked("decoder", it))?;
        context.reserve(measured.0).await?;
        request = measured.1;
    }
    let decode = move || next(request.decode()?);
    run_blocking(decode).await.map_err(|it| panicked("decoder", it))?
}

/// Returns the step after decoding.
fn finder<M: ConverseRequest>(
    components: &Arc<impl FindComponent>,
) -> impl FnOnce(M) -> Result<Decoded<M>, Error> + Send + 'static {
    let components = components.clone();
    move |message| {
        let component = components.find(message.component())?;
        let (request, passthrough) = message.into_chat(&component.own_tools)?;
        component.check(&request)?;
        Ok((component, Arc::new(request), passthrough))
    }
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
