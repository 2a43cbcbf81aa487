//! Decodes the requests in the journal.

use std::collections::BTreeSet;

use super::{
    Components,
    journal::Entry,
    redactor::{RedactRequest, Redactor},
};
use crate::chat::Request;

/// Returns the request of a call as the client sent it, without secrets. Returns `None` if it was invalid.
pub(crate) fn decoded(
    entry: &Entry,
    components: &Components,
    redactor: &Redactor,
) -> Option<Request> {
    let component = components.find(&entry.component).ok();
    let none = BTreeSet::new();
    let own_tools = component.as_ref().map_or(&none, |component| &component.own_tools);
    let mut request = entry.request.as_ref()?.to_chat(&entry.component, own_tools).ok()?;
    redactor.redact_request(&mut request);
    Some(request)
}
