//! `/mynah/v1/faults`: lets calls fail on purpose.

use std::sync::Arc;

use axum::{Extension, body::Body, extract::State};
use http::{StatusCode, Uri};

use super::{body, failure::Failure, query};
use crate::{
    api::guard::Guard, base::blocking::run_blocking, engine::Engine, provider::faults::FaultTarget,
};

/// Replaces the faults of a component and a session.
pub(super) async fn put(
    State(engine): State<Arc<Engine>>,
    Extension(guard): Extension<Arc<Guard>>,
    body: Body,
) -> Result<StatusCode, Failure> {
    let text = body::text(body, &guard).await?;
    let set = move || {
        let target =
            FaultTarget::parse(&text).map_err(|error| Failure::invalid(error.to_string()))?;
        if let Some(component) = &target.component {
            let known = engine.components.find(component);
            known.map_err(|_| Failure::invalid(unknown(component, &engine)))?;
        }
        engine.faults.set(target).map_err(|error| Failure::invalid(error.to_string()))
    };
    run_blocking(set).await??;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes the faults of a session, or all faults.
pub(super) async fn delete(
    State(engine): State<Arc<Engine>>,
    uri: Uri,
) -> Result<StatusCode, Failure> {
    let selection = query::read(&uri, &["session"])?.selection;
    engine.faults.clear(selection.session.as_deref());
    Ok(StatusCode::NO_CONTENT)
}

fn unknown(component: &str, engine: &Engine) -> String {
    let components = engine.components.all();
    let known: Vec<_> = components.iter().map(|component| component.name.as_str()).collect();
    format!("unknown component {component:?}; expected one of: {}", known.join(", "))
}
