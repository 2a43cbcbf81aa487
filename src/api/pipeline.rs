//! The steps of a call, the same for every surface: decode, find the component, answer, encode.

use std::{mem, sync::Arc};

use futures_util::{Stream, future::Either};

use crate::{
    base::blocking::{LARGE, Panicked, run_blocking},
    chat::{self, Delta, Request},
    engine::{Component, Engine},
    provider::CallContext,
    wire::{
        conversation::ConverseRequest, encode::Passthrough, error::Error, undecoded::Undecoded,
    },
};

/// Returns the whole answer to a request.
///
/// # Errors
///
/// Fails if the request is malformed, the component does not exist, daprd would reject the request,
/// the provider fails, or the memory limit is reached.
pub async fn converse<M: ConverseRequest>(
    engine: &Arc<Engine>,
    request: impl Undecoded<M>,
    context: CallContext,
) -> Result<M::Response, Error> {
    let (component, request, passthrough) = decode(engine, request, &context).await?;
    let response = component.converse(request, context).await?;
    Ok(M::response(response, passthrough))
}

/// Returns the answer to a request as a stream of pieces.
///
/// # Errors
///
/// Fails like [`converse`] until the provider has returned its first delta. Later errors end the
/// stream.
pub async fn stream<M: ConverseRequest, R: Undecoded<M>>(
    engine: &Arc<Engine>,
    request: R,
    context: CallContext,
) -> Result<impl Stream<Item = Result<M::StreamResponse, chat::Error>> + Send + use<M, R>, Error> {
    let (component, request, mut passthrough) = decode(engine, request, &context).await?;
    let encode = move |delta| match delta {
        Delta::Text(text) => M::chunk(text),
        Delta::Complete(response) => M::complete(*response, mem::take(&mut passthrough)),
    };
    Ok(component.stream(request, context, encode).await?)
}

type Decoded = (Arc<Component>, Request, Passthrough);

/// Decodes a request, on a blocking thread if that may take long.
async fn decode<M: ConverseRequest>(
    engine: &Arc<Engine>,
    request: impl Undecoded<M>,
    context: &CallContext,
) -> Result<Decoded, Error> {
    match request.decode_briefly()? {
        Either::Left(message) => find_component(engine, message),
        // Boxed, so that the future of a brief call stays small.
        Either::Right(request) => Box::pin(decode_blocking(engine.clone(), request, context)).await,
    }
}

async fn decode_blocking<M: ConverseRequest>(
    engine: Arc<Engine>,
    mut request: impl Undecoded<M>,
    context: &CallContext,
) -> Result<Decoded, Error> {
    if request.size() > LARGE {
        let measure = move || (request.decoded_size(), request);
        let measured = run_blocking(measure).await.map_err(|it| panicked("decoder", it))?;
        context.reserve(measured.0).await?;
        request = measured.1;
    }
    let decode = move || find_component(&engine, request.decode()?);
    run_blocking(decode).await.map_err(|it| panicked("decoder", it))?
}

fn find_component<M: ConverseRequest>(engine: &Engine, mut message: M) -> Result<Decoded, Error> {
    let component = engine.components.find(message.component())?;
    let request = message.into_chat()?;
    let passthrough = M::passthrough(&request);
    Ok((component, request, passthrough))
}

/// Returns the error for work on a body, such as that of the decoder, that panicked.
pub(super) fn panicked(who: &str, _: Panicked) -> Error {
    Error::BodyRead(format!("the {who} panicked; see the log"))
}
