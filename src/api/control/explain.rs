//! `/mynah/v1/explain`: which rule would answer a request, and which tools echo would call.

use std::sync::Arc;

use axum::{Extension, body::Body, extract::State, response::Response};
use bytes::Bytes;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    query::{self, check_name},
    resources::Resources,
};
use crate::{
    api::http::response::json,
    base::{json_size::decoded_size, work::Work},
    engine::{
        Components, Engine,
        explain::{ExplainedCall, explain},
    },
    provider::call::DEFAULT_SESSION,
    wire::{
        error::{ControlError, Error},
        headers::session_in_metadata,
        sent::{SentApi, SentRequest},
    },
};

/// A request to explain.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExplainRequest {
    /// The request, in the form of its API.
    request: Value,
    /// The API of the request.
    #[serde(default)]
    api: Api,
    /// The name of the component. Default: the `name` in a request of Dapr's API, or the only
    /// component.
    #[schemars(length(min = 1))]
    component: Option<String>,
    /// The session, whose counters decide which rules may answer. Default: the one in the metadata of the
    /// request, or else `default`.
    #[schemars(length(min = 1))]
    session: Option<String>,
    /// The name of the model. Default: that of the request or of the component.
    model: Option<String>,
}

/// The API of a request.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Api {
    Alpha1,
    #[default]
    Alpha2,
    OpenAi,
    Responses,
}

/// Says which rule would answer a request, which tools echo would call, and why.
pub(super) async fn post(
    State(engine): State<Arc<Engine>>,
    Extension(resources): Extension<Resources>,
    body: Body,
) -> Result<Response, ControlError> {
    let text = resources.text(body).await?;
    let explain = move |work: &Work| {
        let request: ExplainRequest = query::read_body(&text)?;
        check_name("session", request.session.as_deref())?;
        check_name("component", request.component.as_deref())?;
        explanation(&engine, &request, work)
    };
    Ok(json(resources.run(explain).await?))
}

fn explanation(
    engine: &Engine,
    request: &ExplainRequest,
    work: &Work,
) -> Result<String, ControlError> {
    let components = engine.with_instances();
    let component = components.find(&component_name(&components, request)?);
    let component = component.map_err(Error::from)?;
    let body: Bytes = request.request.to_string().into();
    work.keep(decoded_size(&body))?;
    let api = match request.api {
        Api::Alpha1 => SentApi::Alpha1,
        Api::Alpha2 => SentApi::Alpha2,
        Api::OpenAi => SentApi::OpenAi,
        Api::Responses => SentApi::OpenAiResponse,
    };
    let sent = SentRequest::json(api, &body);
    let mut chat = sent.to_chat(&component.name, &component.own_tools)?;
    component.check(&chat).map_err(Error::from)?;
    if let Some(model) = &request.model {
        chat.model = Some(model.clone());
    }
    let session = request.session.as_deref().or_else(|| session_in_metadata(&chat));
    let session = session.unwrap_or(DEFAULT_SESSION).to_owned();
    let is_alpha1 = api.is_alpha1();
    let redactor = &engine.redactor.load();
    let call = ExplainedCall { request: chat, session: &session, is_alpha1, redactor };
    let explanation = explain(&component, &engine.counters, call, work)?;
    // Serializing texts and numbers cannot fail.
    let mut json = serde_json::to_value(&explanation).unwrap_or_default();
    redactor.redact(&mut json);
    Ok(json.to_string())
}

/// Returns the component that the request is for.
fn component_name(
    components: &Components,
    request: &ExplainRequest,
) -> Result<String, ControlError> {
    let named = request.request.get("name").and_then(Value::as_str);
    if let Some(name) = request.component.as_deref().or(named.filter(|name| !name.is_empty())) {
        return Ok(name.to_owned());
    }
    match components.all().as_slice() {
        [only] => Ok(only.name.clone()),
        all => {
            let names: Vec<_> = all.iter().map(|component| component.name.as_str()).collect();
            let names = names.join(", ");
            Err(ControlError::Invalid(format!("component is missing; expected one of: {names}")))
        }
    }
}
