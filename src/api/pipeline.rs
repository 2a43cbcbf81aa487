//! The one way of a request, whatever surface it came by: find the component, decode, answer,
//! encode.

use std::mem;

use futures_util::Stream;

use crate::{
    api::sidecar::Sidecar,
    chat::{self, Delta},
    wire::{
        decode,
        encode::{self, Returned},
        error::Error,
        proto,
    },
};

/// ConverseAlpha1.
pub async fn alpha1(
    sidecar: &Sidecar,
    request: proto::ConversationRequest,
) -> Result<proto::ConversationResponse, Error> {
    let component = sidecar.components.find(&request.name)?;
    let request = decode::alpha1(request)?;
    let returned = Returned::alpha1(&request);
    let response = component.converse(request).await?;
    Ok(encode::alpha1(response, returned))
}

/// ConverseAlpha2.
pub async fn alpha2(
    sidecar: &Sidecar,
    request: proto::ConversationRequestAlpha2,
) -> Result<proto::ConversationResponseAlpha2, Error> {
    let component = sidecar.components.find(&request.name)?;
    let request = decode::alpha2(request)?;
    let returned = Returned::alpha2(&request);
    let response = component.converse(request).await?;
    Ok(encode::alpha2(response, returned))
}

/// ConverseStreamAlpha1.
pub async fn stream_alpha1(
    sidecar: &Sidecar,
    request: proto::ConversationRequest,
) -> Result<
    impl Stream<Item = Result<proto::ConversationStreamResponse, chat::Error>> + Send + use<>,
    Error,
> {
    let component = sidecar.components.find(&request.name)?;
    let request = decode::alpha1(request)?;
    let mut returned = Returned::alpha1(&request);
    let encode = move |delta| match delta {
        Delta::Text(text) => encode::alpha1_chunk(text),
        Delta::Complete(response) => encode::alpha1_complete(*response, mem::take(&mut returned)),
    };
    Ok(component.stream(request, encode).await?)
}

/// ConverseStreamAlpha2.
pub async fn stream_alpha2(
    sidecar: &Sidecar,
    request: proto::ConversationRequestAlpha2,
) -> Result<
    impl Stream<Item = Result<proto::ConversationStreamResponseAlpha2, chat::Error>> + Send + use<>,
    Error,
> {
    let component = sidecar.components.find(&request.name)?;
    let request = decode::alpha2(request)?;
    let mut returned = Returned::alpha2(&request);
    let encode = move |delta| match delta {
        Delta::Text(text) => encode::alpha2_chunk(text),
        Delta::Complete(response) => encode::alpha2_complete(*response, mem::take(&mut returned)),
    };
    Ok(component.stream(request, encode).await?)
}
