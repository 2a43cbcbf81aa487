//! OpenAI's API, as far as clients of a conversation need it.

mod handler;
mod responses;

use std::sync::Arc;

use axum::response::Response;
use futures_util::{FutureExt, future};
use http::{Method, Request};

use self::handler::Handler;
use super::{
    access::Guard,
    http::{
        response::{Responding, fail, json, respond},
        url,
    },
};
use crate::{
    engine::Engine,
    net::RequestBody,
    wire::{
        error::{Error, HttpError},
        openai,
    },
};

/// What all paths of the API start with.
const PREFIX: &str = "/v1/";
const COMPLETIONS: &str = "/v1/chat/completions";

/// Serves chat completions, responses, embeddings, and the components as models.
#[derive(Debug, Clone)]
pub(crate) struct Service(Arc<Handler>);

/// A request that is served.
#[derive(Debug, PartialEq, Eq)]
enum Route {
    /// A chat completion, of the deployment in the path if it has one.
    Completion(Option<String>),
    /// Embeddings, of the deployment in the path if it has one.
    Embeddings(Option<String>),
    Response,
    KeptResponse(String),
    RemoveResponse(String),
    Models,
    /// A model, which may stand for a component of another name.
    Model(String),
}

/// Returns `true` if a path belongs to OpenAI's API. Dapr's paths start with `/v1.0`.
pub(crate) fn serves(path: &str) -> bool {
    path.starts_with(PREFIX)
}

impl Service {
    pub(crate) fn new(
        engine: Arc<Engine>,
        guard: Arc<Guard>,
        default_component: Option<Arc<str>>,
    ) -> Self {
        Self(Arc::new(Handler { engine, guard, default_component }))
    }

    /// Answers a request with a clean path.
    pub(crate) fn call(&self, request: Request<RequestBody>) -> Responding {
        match self.check_access(&request).and_then(|()| Route::of(&request)) {
            Ok(Route::Completion(deployment)) => {
                self.answer(request, |handler, request| handler.complete(deployment, request))
            }
            Ok(Route::Embeddings(deployment)) => {
                self.answer(request, |handler, request| handler.embed(deployment, request))
            }
            Ok(Route::Response) => self.answer(request, Handler::respond),
            Ok(Route::KeptResponse(id)) => self.answer(request, |handler, request| async move {
                handler.kept_response(id, &request).await
            }),
            Ok(Route::RemoveResponse(id)) => self.answer(request, |handler, request| async move {
                handler.remove_response(id, &request)
            }),
            Ok(Route::Models) => {
                let components = self.0.engine.components.all();
                let names = components.iter().map(|component| component.name.as_str());
                ready(json(openai::models(names)))
            }
            Ok(Route::Model(model)) => match self.0.component(&model) {
                Ok(_) => ready(json(openai::model(&model))),
                Err(error) => ready(failure(&error)),
            },
            Err(error) => ready(failure(&error)),
        }
    }

    fn check_access(&self, request: &Request<RequestBody>) -> Result<(), Error> {
        self.0.guard.access.hosts.check(request.uri(), request.headers())?;
        self.0.guard.access.check_api_key(request.headers())
    }

    fn answer<F>(
        &self,
        request: Request<RequestBody>,
        answer: impl FnOnce(Arc<Handler>, Request<RequestBody>) -> F + Send + 'static,
    ) -> Responding
    where
        F: Future<Output = Result<Response, Error>> + Send + 'static,
    {
        let (handler, call) = (self.0.clone(), request.body().call().clone());
        async move {
            // Boxed at once, because the future is large and would be moved.
            let answer = Box::pin(answer(handler, request)).await;
            Ok(answer.unwrap_or_else(|error| fail(&call, &error, HttpError::openai)))
        }
        .boxed()
    }
}

impl Route {
    fn of(request: &Request<RequestBody>) -> Result<Self, Error> {
        const ID: usize = 2;
        const DEPLOYMENT: usize = 3;
        let (uri, path) = (request.uri(), request.uri().path());
        if request.method() == Method::POST && path == COMPLETIONS {
            // Most requests are for this path.
            return Ok(Self::Completion(None));
        }
        let segments: Vec<&str> = path.split('/').skip(2).collect();
        match (request.method(), segments.as_slice()) {
            (&Method::POST, ["openai", "deployments", _, "chat", "completions"]) => {
                Ok(Self::Completion(Some(url::segment(uri, DEPLOYMENT)?)))
            }
            (&Method::POST, ["embeddings"]) => Ok(Self::Embeddings(None)),
            (&Method::POST, ["openai", "deployments", _, "embeddings"]) => {
                Ok(Self::Embeddings(Some(url::segment(uri, DEPLOYMENT)?)))
            }
            (&Method::POST, ["responses"]) => Ok(Self::Response),
            (&Method::GET, ["responses", _]) => Ok(Self::KeptResponse(url::segment(uri, ID)?)),
            (&Method::DELETE, ["responses", _]) => Ok(Self::RemoveResponse(url::segment(uri, ID)?)),
            (&Method::GET, ["models"]) => Ok(Self::Models),
            // The names of models can contain slashes, which not all clients escape.
            (&Method::GET, ["models", name @ ..]) => {
                let segments = (ID..ID + name.len()).map(|index| url::segment(uri, index));
                Ok(Self::Model(segments.collect::<Result<Vec<_>, _>>()?.join("/")))
            }
            _ => Err(Error::OpenAiNotServed),
        }
    }
}

fn failure(error: &Error) -> Response {
    respond(HttpError::openai(error))
}

fn ready(response: Response) -> Responding {
    future::ok(response).boxed()
}
