//! `/mynah/v1/faults`: lets calls fail on purpose.

use std::sync::Arc;

use axum::{Extension, body::Body, extract::State, response::Response};
use http::{StatusCode, Uri};
use serde_json::json;

use super::{
    query::{self, check_name},
    resources::Resources,
};
use crate::{
    api::http::response,
    base::work::Work,
    engine::{Components, Engine},
    provider::faults::FaultTarget,
    wire::error::ControlError,
};

/// Returns the faults that tests have set, of a session or all.
pub(super) async fn get(
    State(engine): State<Arc<Engine>>,
    uri: Uri,
) -> Result<Response, ControlError> {
    let selection = query::read(&uri, &["session"])?.selection;
    let mut faults = json!({"faults": engine.faults.shown(selection.session.as_deref())});
    engine.redactor.load().redact(&mut faults);
    Ok(response::json(faults.to_string()))
}

/// Replaces the faults of a component and a session.
pub(super) async fn put(
    State(engine): State<Arc<Engine>>,
    Extension(resources): Extension<Resources>,
    body: Body,
) -> Result<StatusCode, ControlError> {
    let text = resources.text(body).await?;
    let set = move |_: &Work| {
        let target =
            FaultTarget::parse(&text).map_err(|error| ControlError::invalid(error.to_string()))?;
        check_name("session", target.session.as_deref())?;
        check_name("component", target.component.as_deref())?;
        if let Some(component) = &target.component {
            let components = engine.with_instances();
            let known = components.find(component);
            known.map_err(|_| ControlError::invalid(unknown(component, &components)))?;
        }
        engine.faults.set(target).map_err(|error| ControlError::invalid(error.to_string()))
    };
    resources.run(set).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes the faults of a session, or all faults.
pub(super) async fn delete(
    State(engine): State<Arc<Engine>>,
    uri: Uri,
) -> Result<StatusCode, ControlError> {
    let selection = query::read(&uri, &["session"])?.selection;
    engine.clear_faults(selection.session.as_deref());
    Ok(StatusCode::NO_CONTENT)
}

fn unknown(component: &str, components: &Components) -> String {
    let components = components.all();
    let known: Vec<_> = components.iter().map(|component| component.name.as_str()).collect();
    format!("unknown component {component:?}; expected one of: {}", known.join(", "))
}
