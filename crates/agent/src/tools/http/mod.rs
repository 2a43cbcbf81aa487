//! A tool that makes an HTTP request.

// allow      the addresses that the tools of a file may connect to
// client     an HTTP client that connects to allowed addresses only
// connector  connects to hosts, directly or through a proxy
// proxy      the proxy that the environment names
// request    the request of a call, and its body
// events     reads a reply that is a stream of events
// reply      reads the reply, and finds the result in it

mod allow;
mod client;
mod connector;
mod events;
mod proxy;
mod reply;
mod request;

use futures_util::FutureExt;
use mynah_core::base::{environment::Environment, json_pointer::JsonPointer};
use serde_json::{Value, json};

pub use self::{
    allow::Allowed,
    client::{HttpClient, redirected},
    events::{Incomplete, read_event_data},
    reply::{read as read_reply, read_body},
    request::{Body, Header, HttpMethod, RequestSource, RequestTemplate, Variables},
};
pub(super) use self::{
    events::{Events, incomplete, read_events},
    reply::{check_encoding, status_error},
    request::{HttpSource, parse_url, resolve_headers},
};
use crate::tool_loop::{RunTool, ToolContext, ToolError, ToolFuture};

/// A tool that makes an HTTP request to an allowed address.
#[derive(Debug)]
pub(super) struct HttpTool {
    template: RequestTemplate,
    client: HttpClient,
    /// JSON Pointer to the result.
    result: Option<JsonPointer>,
}

impl HttpTool {
    /// Creates a tool. Without `allow`, it may connect to the address in its URL.
    pub(super) fn new(
        source: HttpSource,
        allow: Option<&[Allowed]>,
        references: &dyn References,
    ) -> Result<Self, String> {
        let HttpSource { method, url, headers, body, result } = source;
        let source = RequestSource { method, url, headers, body: body.map(Body::Text) };
        let template = RequestTemplate::new(source, &["args"], references)?;
        let client = template.client(allow)?;
        Ok(Self { template, client, result })
    }
}

impl RunTool for HttpTool {
    fn run(&self, arguments: Value, context: ToolContext) -> ToolFuture<'_> {
        async move {
            let variables = Variables::new(&json!({ "args": arguments }));
            let request = self.template.request(&variables).map_err(ToolError::refused)?;
            let response = self.client.send(request).await.map_err(ToolError::new)?;
            let pointer = self.result.as_ref().map(|pointer| pointer.0.as_str());
            Ok(read_reply(response, pointer, context.memory()).await?.into())
        }
        .boxed()
    }
}

/// Resolves the references in headers of requests.
pub trait References {
    /// Returns the value of an environment variable. Fails with a message if there is none.
    fn variable(&self, name: &str) -> Result<String, String>;

    /// Returns the value of a key in a secret. Fails with a message if there is none.
    fn secret(&self, name: &str, key: &str) -> Result<String, String>;
}

/// Outside of components, which have secret stores, there are only environment variables.
impl References for Environment {
    fn variable(&self, name: &str) -> Result<String, String> {
        let value = self.get(name).map(str::to_owned);
        value.ok_or_else(|| format!("the environment variable {name} is not set"))
    }

    fn secret(&self, _: &str, _: &str) -> Result<String, String> {
        Err("only components have secret stores; use envRef".to_owned())
    }
}
