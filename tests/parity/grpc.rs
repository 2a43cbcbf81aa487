//! Makes calls over gRPC, with messages and answers in proto JSON.

use futures_util::stream;
use mynah::internals::wire::{json, proto};
use prost::{Message, Name};
use serde_json::{Value, json};
use tonic::{
    Request, Status, client,
    metadata::{AsciiMetadataKey, MetadataMap},
    transport::{Channel, Endpoint},
};
use tonic_prost::ProstCodec;
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

use super::{
    case::{self, Grpc},
    http,
    target::Target,
};

/// Makes the call. Returns the message or the error, and also the headers if `with_headers`.
pub async fn call(target: &Target, call: &Grpc, with_headers: bool) -> Value {
    use proto::{
        ConversationRequest, ConversationRequestAlpha2, ConversationResponse,
        ConversationResponseAlpha2, GetMetadataRequest, GetMetadataResponse, SetMetadataRequest,
    };
    let endpoint = Endpoint::from_shared(format!("http://{}", target.grpc)).unwrap();
    let channel = endpoint.connect().await.unwrap();
    let method = call.grpc.as_str();
    let dapr = |method: &str| format!("/dapr.proto.runtime.v1.Dapr/{method}");
    let answer = match method {
        "ConverseAlpha1" => {
            unary::<ConversationRequest, ConversationResponse>(channel, dapr(method), call).await
        }
        "ConverseAlpha2" => {
            unary::<ConversationRequestAlpha2, ConversationResponseAlpha2>(
                channel,
                dapr(method),
                call,
            )
            .await
        }
        "GetMetadata" => {
            unary::<GetMetadataRequest, GetMetadataResponse>(channel, dapr(method), call).await
        }
        "SetMetadata" => unary::<SetMetadataRequest, ()>(channel, dapr(method), call).await,
        "ServerReflectionInfo" => services(channel, call).await,
        path => unary::<(), ()>(channel, path.to_owned(), call).await,
    };
    let (mut answer, metadata) = answer.unwrap_or_else(|status| error(&status));
    if with_headers {
        answer["headers"] = http::headers(&metadata.into_headers());
    }
    answer
}

type Answer = Result<(Value, MetadataMap), Status>;

async fn unary<Req, Resp>(channel: Channel, path: String, call: &Grpc) -> Answer
where
    Req: Message + Name + Default + 'static,
    Resp: Message + Name + Default + 'static,
{
    let mut message = call.message.clone();
    case::map_texts(&mut message, &case::expand);
    let message: Req = json::read(message.to_string().as_bytes()).unwrap();
    let mut client = client::Grpc::new(channel).max_decoding_message_size(usize::MAX);
    client.ready().await.unwrap();
    let codec = ProstCodec::<Req, Resp>::default();
    let path = path.parse().unwrap();
    let response = client.unary(request(message, call), path, codec).await?;
    let (metadata, message, _) = response.into_parts();
    let message = json::write(&message).unwrap();
    let message: Value = serde_json::from_str(&message).unwrap();
    Ok((json!({ "message": message }), metadata))
}

/// Lists the services with reflection.
async fn services(channel: Channel, call: &Grpc) -> Answer {
    let list = MessageRequest::ListServices(String::new());
    let question = ServerReflectionRequest { host: String::new(), message_request: Some(list) };
    let request = request(stream::iter([question]), call);
    let response = ServerReflectionClient::new(channel).server_reflection_info(request).await?;
    let (metadata, mut messages, _) = response.into_parts();
    let message = messages.message().await?.and_then(|message| message.message_response);
    let Some(MessageResponse::ListServicesResponse(list)) = message else {
        panic!("not a list of services: {message:?}");
    };
    let mut names: Vec<_> = list.service.into_iter().map(|service| service.name).collect();
    names.sort();
    Ok((json!({ "services": names }), metadata))
}

fn request<T>(message: T, call: &Grpc) -> Request<T> {
    let mut request = Request::new(message);
    for (name, value) in &call.headers {
        let name: AsciiMetadataKey = name.parse().unwrap();
        request.metadata_mut().insert(name, value.parse().unwrap());
    }
    request
}

fn error(status: &Status) -> (Value, MetadataMap) {
    let mut answer = json!({ "code": status.code() as i32, "text": status.message() });
    let details = Details::decode(status.details()).unwrap().details;
    if !details.is_empty() {
        answer["details"] = details.iter().map(detail).collect();
    }
    (answer, status.metadata().clone())
}

fn detail(any: &prost_types::Any) -> Value {
    let info = ErrorInfo::decode(any.value.as_slice()).unwrap();
    json!({
        "@type": any.type_url,
        "reason": info.reason,
        "domain": info.domain,
        "metadata": info.metadata,
    })
}

/// The part of `google.rpc.Status` that is compared.
#[derive(Clone, PartialEq, Message)]
struct Details {
    #[prost(message, repeated, tag = "3")]
    details: Vec<prost_types::Any>,
}

/// `google.rpc.ErrorInfo`.
#[derive(Clone, PartialEq, Message)]
struct ErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
    #[prost(string, tag = "2")]
    domain: String,
    #[prost(btree_map = "string, string", tag = "3")]
    metadata: std::collections::BTreeMap<String, String>,
}
