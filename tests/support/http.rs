//! Calls the HTTP API without an SDK.

use serde_json::Value;

use super::Sidecar;

/// A response from the HTTP API.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub content_type: String,
    pub body: String,
}

impl Reply {
    /// Parses the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.body))
    }

    /// Parses the body as server-sent events. Returns the name and the data of each event.
    pub fn events(&self) -> Vec<(&str, Value)> {
        self.body.split_terminator("\n\n").map(parse_event).collect()
    }
}

fn parse_event(lines: &str) -> (&str, Value) {
    let field = |name: &str| lines.lines().find_map(|line| line.strip_prefix(name));
    let data = field("data: ").unwrap();
    (field("event: ").unwrap_or("message"), serde_json::from_str(data).unwrap())
}

/// Returns a client that connects directly, whatever proxy the environment names.
pub fn direct_client() -> reqwest::Client {
    direct_builder().build().unwrap()
}

/// Returns a builder for clients that connect directly.
#[expect(clippy::disallowed_methods, reason = "the function that the ban refers to")]
pub fn direct_builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder().no_proxy()
}

impl Sidecar {
    /// Sends a POST request.
    pub async fn post(&self, path: &str, body: impl Into<reqwest::Body>) -> Reply {
        self.send(direct_client().post(self.url(path)).body(body)).await
    }

    /// Sends a POST request that accepts server-sent events.
    pub async fn post_for_events(&self, path: &str, body: impl Into<reqwest::Body>) -> Reply {
        let request = direct_client().post(self.url(path));
        self.send(request.header("accept", "text/event-stream").body(body)).await
    }

    /// Sends a POST request, and returns the beginning of the response body, which breaks off.
    pub async fn post_broken(&self, path: &str, accept: &str, body: String) -> String {
        let request = direct_client().post(self.url(path)).header("accept", accept).body(body);
        let mut response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        let mut read = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) => read.extend_from_slice(&chunk),
                Ok(None) => panic!("the response is complete"),
                Err(_) => return String::from_utf8(read).unwrap(),
            }
        }
    }

    /// Sends a GET request.
    pub async fn get(&self, path: &str) -> Reply {
        self.send(direct_client().get(self.url(path))).await
    }

    /// Sends a request and reads the whole response.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Reply {
        let response = request.send().await.unwrap();
        let content_type = response.headers().get("content-type");
        Reply {
            status: response.status().as_u16(),
            content_type: content_type.map_or("", |v| v.to_str().unwrap()).to_owned(),
            body: response.text().await.unwrap(),
        }
    }
}
