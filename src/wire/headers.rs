//! Reads the context of a call from its headers.

use std::{sync::Arc, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::{
    base::{clock::Moment, memory::Charge},
    chat::Request,
    provider::{CallContext, call::Surface, trace::TraceContext},
};

/// The HTTP header or gRPC metadata key that names the session of a call.
pub(crate) static SESSION: HeaderName = HeaderName::from_static("mynah-session");
/// The header in which clients of aimock name the context of a test. It is the session if there is no
/// other.
static AIMOCK_CONTEXT: HeaderName = HeaderName::from_static("x-aimock-context");
/// The header that names the trace of a call.
static TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");
/// The header in which gRPC clients send the timeout of a call.
static GRPC_TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

/// Creates the context of a call that arrived through `surface`, with the session, the deadline and the
/// trace in its headers.
///
/// A single pass over the headers is cheaper than several look-ups.
pub(crate) fn call_context(
    surface: Surface,
    headers: &HeaderMap,
    charge: &Arc<Charge>,
) -> CallContext {
    let (mut session, mut aimock_context, mut deadline, mut trace) = (None, None, None, None);
    // A name that is not text becomes an empty one, which is rejected.
    let name_in =
        |value: &HeaderValue| Some(str::from_utf8(value.as_bytes()).unwrap_or_default().into());
    for (name, value) in headers {
        if *name == GRPC_TIMEOUT {
            deadline = value.to_str().ok().and_then(grpc_timeout).and_then(Moment::after);
        } else if *name == SESSION {
            session = name_in(value);
        } else if *name == AIMOCK_CONTEXT {
            aimock_context = name_in(value);
        } else if *name == TRACE_PARENT {
            trace = value.to_str().ok().and_then(TraceContext::parse);
        }
    }
    let has_session = session.is_some();
    let session = session.or(aimock_context);
    let mut context = CallContext::of_sidecar(surface, charge.clone(), session, deadline);
    if let Some(trace) = trace {
        context.set_trace(trace);
    }
    if has_session { context } else { context.with_replaceable_session() }
}

/// Returns the session that a request names in its metadata, for clients that cannot send headers.
pub(crate) fn session_in_metadata(request: &Request) -> Option<&str> {
    request.metadata.get(SESSION.as_str()).map(String::as_str)
}

/// Parses a timeout: 1 to 8 digits and a unit, as defined in the specification of gRPC over HTTP/2.
fn grpc_timeout(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let amount = digits.parse::<u64>().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(amount * 3600)),
        "M" => Some(Duration::from_secs(amount * 60)),
        "S" => Some(Duration::from_secs(amount)),
        "m" => Some(Duration::from_millis(amount)),
        "u" => Some(Duration::from_micros(amount)),
        "n" => Some(Duration::from_nanos(amount)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::memory::MemoryBudget;

    #[test]
    fn reads_grpc_timeouts() {
        let cases = [
            ("1H", Some(Duration::from_secs(3600))),
            ("2M", Some(Duration::from_secs(120))),
            ("3S", Some(Duration::from_secs(3))),
            ("250m", Some(Duration::from_millis(250))),
            ("99999999n", Some(Duration::from_nanos(99_999_999))),
            ("", None),
            ("S", None),
            ("1", None),
            ("1é", None),
            ("+1S", None),
            ("123456789S", None),
        ];
        for (text, expected) in cases {
            assert_eq!(grpc_timeout(text), expected, "{text}");
        }
    }

    #[test]
    fn reads_the_session_and_the_deadline() {
        let value = http::HeaderValue::from_static;
        let headers = [(SESSION.clone(), value("checkout")), (GRPC_TIMEOUT.clone(), value("5S"))];
        let charge = Arc::new(Arc::new(MemoryBudget::new(0)).charge(0));
        let context = call_context(Surface::Grpc, &headers.into_iter().collect(), &charge);
        assert_eq!(context.session.as_deref(), Some("checkout"));
        assert!(context.deadline.is_some());
        assert!(call_context(Surface::Http, &HeaderMap::new(), &charge).session.is_none());
    }
}
