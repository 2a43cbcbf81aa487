//! `/mynah/v1/rules`: the rules of a session.

use std::sync::{Arc, PoisonError};

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
    base::{diagnostics::Diagnostic, kept_memory::TEXT_BYTE, pattern::PatternLimits, work::Work},
    engine::Engine,
    provider::scripted::Rules,
    wire::error::ControlError,
};

/// The memory of a session, without its name and its rules.
const SESSION: usize = 4 * 1024;
/// An upper bound of the memory for a byte of the name of a session.
const NAME_BYTE: usize = 8;

/// The error of a text that replaces rules.
const EXPECT: &str =
    "expect is for files; verify the calls of a session with POST /mynah/v1/verify";

/// Replaces the rules of a session.
pub(super) async fn put(
    State(engine): State<Arc<Engine>>,
    Extension(resources): Extension<Resources>,
    uri: Uri,
    body: Body,
) -> Result<StatusCode, ControlError> {
    change(engine, resources, &uri, body, false).await
}

/// Adds rules after those of a session.
pub(super) async fn post(
    State(engine): State<Arc<Engine>>,
    Extension(resources): Extension<Resources>,
    uri: Uri,
    body: Body,
) -> Result<StatusCode, ControlError> {
    change(engine, resources, &uri, body, true).await
}

async fn change(
    engine: Arc<Engine>,
    resources: Resources,
    uri: &Uri,
    body: Body,
    keeps_earlier: bool,
) -> Result<StatusCode, ControlError> {
    let session = session(uri)?;
    let text = resources.text(body).await?;
    engine.drop_idle_rules();
    let memory = resources.keep_rules();
    let size = SESSION + NAME_BYTE * session.len() + TEXT_BYTE * text.len();
    memory.grow(size).await.map_err(|_| ControlError::RulesFull)?;
    let changes = resources.rule_changes();
    let change = move |_: &Work| {
        // Two requests that add rules must not take each other's place.
        let _turn = changes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = if keeps_earlier { texts(&engine, &session) } else { Vec::new() };
        let size = all.iter().map(String::len).sum::<usize>();
        memory.grow_now(TEXT_BYTE * size).map_err(|_| ControlError::RulesFull)?;
        all.push(text);
        let (rules, patterns) = read(&session, all)?;
        if !keeps_earlier && rules.has_expectations() {
            return Err(invalid(EXPECT));
        }
        if keeps_earlier && !rules.are_in_last_text() {
            return Err(invalid("expected a list `rules`"));
        }
        memory.grow_now(patterns + rules.memory()).map_err(|_| ControlError::RulesFull)?;
        log_warnings(&format!("rules of session {session}"), rules.warnings());
        engine.set_rules(&session, &rules.into(), memory);
        Ok(())
    };
    resources.run(change).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the texts of the rules that a session has.
fn texts(engine: &Engine, session: &str) -> Vec<String> {
    let rules = engine.rules_of(session);
    rules.iter().flat_map(|rules| rules.texts()).map(|text| text.text.clone()).collect()
}

/// Reads rules. Also returns the memory of their patterns.
fn read(session: &str, texts: Vec<String>) -> Result<(Rules, usize), ControlError> {
    let (read, patterns) = PatternLimits::INSTANCE.read(|| Rules::of_session(session, texts));
    let invalid = |errors: Vec<Diagnostic>| invalid(&listed(&errors, "\n", shown));
    Ok((read.map_err(invalid)?, patterns))
}

fn invalid(errors: &str) -> ControlError {
    ControlError::invalid(format!("invalid rules:\n{errors}"))
}

/// Shows an error in a text that is not a file.
fn shown(Diagnostic { place, message, .. }: &Diagnostic) -> String {
    let place = place.map(|place| format!("line {}, column {}: ", place.line, place.column));
    place.unwrap_or_default() + message
}

/// Returns the texts of the rules of a session.
pub(super) async fn get(
    State(engine): State<Arc<Engine>>,
    uri: Uri,
) -> Result<Response, ControlError> {
    let session = session(&uri)?;
    let texts = texts(&engine, &session);
    if texts.is_empty() {
        return Err(ControlError::NotFound(format!("session {session:?} has no rules")));
    }
    // Each is a document.
    let text = texts.join("\n---\n");
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
