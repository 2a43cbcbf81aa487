//! The HTTP API, as an application without an SDK calls it.

use serde_json::Value;

use super::Sidecar;

/// An answer over HTTP.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub content_type: String,
    pub body: String,
}

impl Reply {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("JSON: {}", self.body))
    }

    /// The data of server-sent events, each with its event's name.
    pub fn events(&self) -> Vec<(&str, Value)> {
        self.body.split_terminator("\n\n").map(parse_event).collect()
    }
}

fn parse_event(lines: &str) -> (&str, Value) {
    let field = |name: &str| lines.lines().find_map(|line| line.strip_prefix(name));
    let data = field("data: ").expect("an event with data");
    (field("event: ").unwrap_or("message"), serde_json::from_str(data).expect("data in JSON"))
}

impl Sidecar {
    /// Posts a body to a path.
    pub async fn post(&self, path: &str, body: impl Into<reqwest::Body>) -> Reply {
        self.send(reqwest::Client::new().post(self.url(path)).body(body)).await
    }

    /// Posts a body and asks for server-sent events.
    pub async fn post_for_events(&self, path: &str, body: impl Into<reqwest::Body>) -> Reply {
        let request = reqwest::Client::new().post(self.url(path));
        self.send(request.header("accept", "text/event-stream").body(body)).await
    }

    /// Gets a path.
    pub async fn get(&self, path: &str) -> Reply {
        self.send(reqwest::Client::new().get(self.url(path))).await
    }

    /// Sends a request.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Reply {
        let response = request.send().await.expect("an answer over HTTP");
        let content_type = response.headers().get("content-type");
        Reply {
            status: response.status().as_u16(),
            content_type: content_type.map_or("", |v| v.to_str().expect("text")).to_owned(),
            body: response.text().await.expect("a body"),
        }
    }
}
