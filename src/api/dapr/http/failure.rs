use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use serde::Serialize;
use serde_json::Value;

use crate::wire::error::Error;

/// An error as an HTTP answer.
#[derive(Debug)]
pub(super) struct Failure(pub(super) Error);

/// daprd's error body.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    error_code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
}

impl Failure {
    /// The body, without a line break at its end.
    pub(super) fn body(&self) -> String {
        let message = self.0.message();
        let (error_code, details) = (self.0.error_code(), self.0.json_details());
        let body = Body { error_code, message: &message, details };
        // Strings can always be written.
        let json = serde_json::to_string(&body).unwrap_or_default();
        escape(&json)
    }
}

/// Go's `encoding/json` escapes what a browser could take for markup, which JSON has only inside
/// strings.
fn escape(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = self.0.http_status();
        match self.0 {
            Error::MalformedPath(_) => return (status, self.0.message()).into_response(),
            Error::Unauthorized(_) => return (status, "invalid api token\n").into_response(),
            _ => {}
        }
        let body = self.body();
        let mut response = (status, [(CONTENT_TYPE, "application/json")], body).into_response();
        if let Some(seconds) = self.0.retry_after() {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
