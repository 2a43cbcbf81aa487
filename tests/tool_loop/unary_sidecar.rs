//! Tests with a sidecar that does not stream, and with answers in every form that Dapr allows.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use futures_util::{StreamExt, stream::BoxStream};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use mynah::{
    client::RemoteComponent,
    internals::wire::proto::{
        ConversationRequest, ConversationRequestAlpha2, ConversationResponse,
        ConversationResponseAlpha2, ConversationResultAlpha2, ConversationResultChoices,
        ConversationResultMessage, ConversationStreamResponse, ConversationStreamResponseAlpha2,
        ConversationToolCalls, ConversationToolCallsOfFunction, GetMetadataRequest,
        GetMetadataResponse, RegisteredComponents, SetMetadataRequest, ShutdownRequest,
        conversation_message::MessageTypes,
        conversation_tool_calls::ToolTypes,
        dapr_server::{Dapr, DaprServer},
    },
    tool_loop::{LoopEnd, LoopEvent, LoopResult, LoopSettings, ToolLoop},
};
use tokio::net::TcpListener;
use tonic::{Request, Response, Status};

use super::{ask, assert_every_call_has_a_result, doubles::identity};

/// A service that selects its answer by the number of assistant messages in the request.
#[derive(Clone, Default)]
struct UnarySidecar {
    answers: Arc<Vec<Vec<ConversationResultAlpha2>>>,
    /// The number of streaming calls.
    streams: Arc<AtomicU32>,
}

#[tonic::async_trait]
impl Dapr for UnarySidecar {
    type ConverseStreamAlpha1Stream =
        BoxStream<'static, Result<ConversationStreamResponse, Status>>;
    type ConverseStreamAlpha2Stream =
        BoxStream<'static, Result<ConversationStreamResponseAlpha2, Status>>;

    async fn converse_alpha2(
        &self,
        request: Request<ConversationRequestAlpha2>,
    ) -> Result<Response<ConversationResponseAlpha2>, Status> {
        let messages = request.get_ref().inputs.iter().flat_map(|input| &input.messages);
        let is_answer = |types: &&MessageTypes| matches!(types, MessageTypes::OfAssistant(_));
        let turn = messages.filter_map(|message| message.message_types.as_ref()).filter(is_answer);
        let outputs = self.answers[turn.count()].clone();
        Ok(Response::new(ConversationResponseAlpha2 { outputs, ..Default::default() }))
    }

    async fn get_metadata(
        &self,
        _: Request<GetMetadataRequest>,
    ) -> Result<Response<GetMetadataResponse>, Status> {
        let component = |name: &str, kind: &str| RegisteredComponents {
            name: name.to_owned(),
            r#type: kind.to_owned(),
            ..Default::default()
        };
        let registered_components =
            vec![component("store", "state.redis"), component("llm", "conversation.openai")];
        Ok(Response::new(GetMetadataResponse { registered_components, ..Default::default() }))
    }

    async fn converse_stream_alpha2(
        &self,
        _: Request<ConversationRequestAlpha2>,
    ) -> Result<Response<Self::ConverseStreamAlpha2Stream>, Status> {
        self.streams.fetch_add(1, Ordering::Relaxed);
        Err(Status::unimplemented(""))
    }

    async fn converse_stream_alpha1(
        &self,
        _: Request<ConversationRequest>,
    ) -> Result<Response<Self::ConverseStreamAlpha1Stream>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn converse_alpha1(
        &self,
        _: Request<ConversationRequest>,
    ) -> Result<Response<ConversationResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn set_metadata(&self, _: Request<SetMetadataRequest>) -> Result<Response<()>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn shutdown(&self, _: Request<ShutdownRequest>) -> Result<Response<()>, Status> {
        Err(Status::unimplemented(""))
    }
}

impl UnarySidecar {
    async fn start(&self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let service = DaprServer::new(self.clone());
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            auto::Builder::new(TokioExecutor::new())
                .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
                .await
        });
        address
    }

    /// Streams a run with this sidecar. Returns the texts and the result.
    async fn run(&self) -> (Vec<String>, LoopResult) {
        let address = self.start().await.to_string();
        let model = RemoteComponent::connect(&address, None, None).await.unwrap();
        assert_eq!(model.name(), "llm");
        let tool_loop = ToolLoop::new(identity("f"), LoopSettings::default()).unwrap();
        let tool_loop = Arc::new(tool_loop);
        let events = tool_loop.run(Arc::new(model), ask("Go!")).stream();
        let mut events: Vec<_> = events.collect().await;
        let Some(LoopEvent::Ended(result)) = events.pop() else { panic!("{events:?}") };
        assert_every_call_has_a_result(&result);
        let text = |event| if let LoopEvent::Text(text) = event { Some(text) } else { None };
        (events.into_iter().filter_map(text).collect(), result)
    }
}

fn sidecar(answers: Vec<Vec<ConversationResultAlpha2>>) -> UnarySidecar {
    UnarySidecar { answers: Arc::new(answers), ..UnarySidecar::default() }
}

/// Returns an output with one choice for each message.
fn output(messages: &[ConversationResultMessage]) -> ConversationResultAlpha2 {
    let choice = |message: &ConversationResultMessage| ConversationResultChoices {
        finish_reason: "length".to_owned(),
        index: 0,
        message: Some(message.clone()),
    };
    let choices = messages.iter().map(choice).collect();
    ConversationResultAlpha2 { choices, ..Default::default() }
}

/// Returns a message that contains only text.
fn text_message(content: &str) -> ConversationResultMessage {
    ConversationResultMessage { content: content.to_owned(), tool_calls: Vec::new() }
}

#[tokio::test]
async fn falls_back_to_unary_calls_after_one_attempt_to_stream() {
    let function = ConversationToolCallsOfFunction { name: "f".into(), arguments: "{}".into() };
    let called =
        ConversationToolCalls { id: None, tool_types: Some(ToolTypes::Function(function)) };
    // This call has no function.
    let empty = ConversationToolCalls { id: Some(String::new()), tool_types: None };
    let calls = ConversationResultMessage {
        tool_calls: vec![called, empty],
        ..text_message("Let me see.")
    };
    let sidecar = sidecar(vec![
        vec![output(&[]), output(&[calls, text_message("no")]), output(&[text_message("no")])],
        vec![output(&[text_message("It is so.")])],
    ]);
    let (texts, result) = sidecar.run().await;
    assert_eq!(texts, ["Let me see.", "It is so."]);
    assert_eq!((result.text(), &result.end), ("It is so.", &LoopEnd::Answered));
    let results: Vec<_> = result.calls.iter().map(|call| (&*call.id, call.result.text())).collect();
    assert_eq!(results, [("tool-call-1-1", "{}"), ("tool-call-1-2", "Tool '' not found")]);
    assert_eq!(sidecar.streams.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn reports_an_answer_without_a_choice_as_a_model_error() {
    for outputs in [vec![], vec![output(&[])]] {
        let (_, result) = sidecar(vec![outputs]).run().await;
        let LoopEnd::ModelError(error) = &result.end else { panic!("{result:?}") };
        assert!(error.to_string().ends_with("has no choices"), "{error}");
    }
}
