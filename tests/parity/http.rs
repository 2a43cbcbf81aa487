//! Makes calls over HTTP.

use reqwest::{Method, Response};
use serde_json::{Map, Value, json};

use super::{
    case::{self, Http},
    target::Target,
};
use crate::support::http::direct_client;

/// Makes the call. Returns the status, media type and body, and also the headers if `with_headers`.
pub async fn call(target: &Target, call: &Http, with_headers: bool) -> Value {
    let (method, path) = call.http.split_once(' ').unwrap();
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    let client = direct_client();
    let mut request = client.request(method, format!("http://{}{path}", target.http));
    if let Some(body) = &call.body {
        request = request.body(text(body));
        if !call.headers.contains_key("content-type") {
            request = request.header("content-type", "application/json");
        }
    }
    for (name, value) in &call.headers {
        if let Some(value) = value {
            request = request.header(name, case::expand(value));
        }
    }
    answer(request.send().await.unwrap(), with_headers).await
}

/// Returns the text of a body.
fn text(body: &Value) -> String {
    if let Value::String(text) = body {
        return text.clone();
    }
    let mut body = body.clone();
    case::map_texts(&mut body, &case::expand);
    body.to_string()
}

async fn answer(response: Response, with_headers: bool) -> Value {
    let mut answer = Map::new();
    answer.insert("status".to_owned(), json!(response.status().as_u16()));
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
    let media_type = header("content-type").map(str::to_owned);
    if with_headers {
        answer.insert("headers".to_owned(), headers(response.headers()));
    }
    let body = response.text().await.unwrap();
    if !body.is_empty() {
        let body = serde_json::from_str(&body).unwrap_or(Value::String(body));
        answer.insert("body".to_owned(), body);
    }
    answer.extend(media_type.map(|media_type| ("type".to_owned(), json!(media_type))));
    Value::Object(answer)
}

/// Returns the headers, without those that every answer has.
pub fn headers(headers: &http::HeaderMap) -> Value {
    const COMMON: [&str; 5] =
        ["content-type", "content-length", "date", "grpc-status", "grpc-message"];
    let headers = headers.iter().filter(|(name, _)| !COMMON.contains(&name.as_str()));
    headers.map(|(name, value)| (name.to_string(), json!(value.to_str().unwrap()))).collect()
}
