//! The steps of a call, the same for every surface: find the component, decode, answer, encode.

use std::{mem, sync::Arc};

use futures_util::Stream;

use crate::{
    chat::{self, Delta, Request},
    engine::{Component, Engine},
    provider::CallContext,
    wire::{conversation::ConverseRequest, encode::Passthrough, error::Error},
};

/// Returns the whole answer to a request.
///
/// # Errors
///
/// Fails if the component does not exist, daprd would reject the request, or the provider fails.
pub async fn converse<M: ConverseRequest>(
    engine: &Engine,
    message: M,
    context: CallContext,
) -> Result<M::Response, Error> {
    let (component, request, passthrough) = decode(engine, message)?;
    let response = component.converse(request, context).await?;
    Ok(M::response(response, passthrough))
}

/// Returns the answer to a request as a stream of pieces.
///
/// # Errors
///
/// Fails like [`converse`] if the error occurs before the provider's first delta. Later errors end
/// the stream.
pub async fn stream<M: ConverseRequest>(
    engine: &Engine,
    message: M,
    context: CallContext,
) -> Result<impl Stream<Item = Result<M::StreamResponse, chat::Error>> + Send + use<M>, Error> {
    let (component, request, mut passthrough) = decode(engine, message)?;
    let encode = move |delta| match delta {
        Delta::Text(text) => M::chunk(text),
        Delta::Complete(response) => M::complete(*response, mem::take(&mut passthrough)),
    };
    Ok(component.stream(request, context, encode).await?)
}

fn decode<M: ConverseRequest>(
    engine: &Engine,
    mut message: M,
) -> Result<(Arc<Component>, Request, Passthrough), Error> {
    let component = engine.components.find(message.component())?;
    let request = message.into_chat()?;
    let passthrough = M::passthrough(&request);
    Ok((component, request, passthrough))
}
