//! The methods of `dapr.proto.runtime.v1.Dapr` by name.

use http::Request;

use super::runtime::RuntimeCall;
use crate::{
    api::grpc::{
        call_body::CallBody,
        method::{Responding, not_served, stream, unary},
    },
    wire::{error::Error, proto},
};

/// The methods of the conversation API.
pub(super) const CONVERSATION: [&str; 4] =
    ["ConverseAlpha1", "ConverseAlpha2", "ConverseStreamAlpha1", "ConverseStreamAlpha2"];

/// What the paths of the methods start with.
pub(super) const PREFIX: &str = "/dapr.proto.runtime.v1.Dapr/";

/// Answers a call of a method.
pub(super) fn answer(call: RuntimeCall, request: Request<CallBody>) -> Responding {
    type Call = RuntimeCall;
    match request.uri().path().strip_prefix(PREFIX).unwrap_or_default() {
        "ConverseAlpha1" => unary(request, call, Call::converse::<proto::ConversationRequest>),
        "ConverseAlpha2" => {
            unary(request, call, Call::converse::<proto::ConversationRequestAlpha2>)
        }
        "ConverseStreamAlpha1" => stream(request, call, Call::stream::<proto::ConversationRequest>),
        "ConverseStreamAlpha2" => {
            stream(request, call, Call::stream::<proto::ConversationRequestAlpha2>)
        }
        "GetMetadata" => unary(request, call, Call::get_metadata),
        "SetMetadata" => unary(request, call, Call::set_metadata),
        "Shutdown" => unary(request, call, Call::shutdown),
        _ => not_served(Error::NotServed),
    }
}
