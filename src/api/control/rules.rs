//! `/mynah/v1/rules`: the rules of a session.

use std::sync::Arc;

use axum::{
    Extension,
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{StatusCode, Uri, header::CONTENT_TYPE};

use super::{query, resources::Resources};
use crate::{
    api::diagnostics::{listed, log_warnings},
    base::{
        diagnostics::Diagnostic,
        kept_memory::{KeptMemory, TEXT_BYTE},
        pattern::PatternLimits,
        work::Work,
    },
    engine::Engine,
    provider::scripted::Rules,
    wire::error::ControlError,
};

/// The memory of a session, without its name and its rules.
const SESSION: usize = 4 * 1024;
/// An upper bound of the memory for a byte of the name of a session.
const NAME_BYTE: usize = 8;

/// Replaces the rules of a session.
pub(super) async fn put(
    State(engine): State<Arc<Engine>>,
    Extension(resources): Extension<Resources>,
    uri: Uri,
    body: Body,
) -> Result<StatusCode, ControlError> {
    let session = session(&uri)?;
    let text = resources.text(body).await?;
    engine.drop_idle_rules();
    let memory = resources.keep_rules();
    let size = SESSION + NAME_BYTE * session.len() + TEXT_BYTE * text.len();
    memory.grow(size).await.map_err(|_| ControlError::RulesFull)?;
    resources.run(move |_: &Work| set(&engine, &session, text, memory)).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn set(
    engine: &Engine,
    session: &str,
    text: String,
    memory: KeptMemory,
) -> Result<(), ControlError> {
    let (read, patterns) = PatternLimits::INSTANCE.read(|| Rules::of_session(session, text));
    let rules = read.map_err(|errors| {
        ControlError::invalid(format!("invalid rules:\n{}", listed(&errors, "\n", shown)))
    })?;
    memory.grow_now(patterns + rules.memory()).map_err(|_| ControlError::RulesFull)?;
    log_warnings(&format!("rules of session {session}"), rules.warnings());
    engine.set_rules(session, &rules.into(), memory);
    Ok(())
}

/// Shows an error in a text that is not a file.
fn shown(Diagnostic { place, message, .. }: &Diagnostic) -> String {
    let place = place.map(|place| format!("line {}, column {}: ", place.line, place.column));
    place.unwrap_or_default() + message
}

/// Returns the text of the rules of a session.
pub(super) async fn get(
    State(engine): State<Arc<Engine>>,
    uri: Uri,
) -> Result<Response, ControlError> {
    let session = session(&uri)?;
    let rules = engine.rules_of(&session);
    let text = rules.as_ref().and_then(|rules| rules.texts().next());
    let missing = || ControlError::NotFound(format!("session {session:?} has no rules"));
    let text = text.ok_or_else(missing)?.text.clone();
    Ok(([(CONTENT_TYPE, "application/yaml")], text).into_response())
}

/// Removes the rules of a session, or those of all sessions.
pub(super) async fn delete(
    State(engine): State<Arc<Engine>>,
    uri: Uri,
) -> Result<StatusCode, ControlError> {
    let selection = query::read(&uri, &["session"])?.selection;
    engine.remove_rules(selection.session.as_deref());
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the session of a request, which must name one.
fn session(uri: &Uri) -> Result<String, ControlError> {
    let session = query::read(uri, &["session"])?.selection.session;
    session.ok_or_else(|| ControlError::invalid("session is missing; expected ?session=NAME"))
}
