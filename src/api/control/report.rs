//! `/mynah/v1/report`: what happened in a session, in words.

use std::sync::Arc;

use axum::{
    Extension,
    extract::State,
    response::{IntoResponse, Response},
};
use http::Uri;

use super::{journal::journal, query, resources::Resources};
use crate::{
    base::work::Work,
    engine::{Engine, report::report},
    wire::error::ControlError,
};

/// Describes the latest of the selected calls.
pub(super) async fn get(
    State(engine): State<Arc<Engine>>,
    Extension(resources): Extension<Resources>,
    uri: Uri,
) -> Result<Response, ControlError> {
    let selection = query::read(&uri, &["session", "component", "outcome", "since"])?.selection;
    let journal = journal(&engine)?;
    let write = move |work: &Work| {
        let calls = journal.select(&selection);
        Ok(report(selection.session.as_deref(), &calls, &engine.with_instances(), work)?)
    };
    Ok(resources.run(write).await?.into_response())
}
