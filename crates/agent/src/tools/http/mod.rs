//! A tool that makes an HTTP request.

// allow      the addresses that the tools of a file may connect to
// client     an HTTP client that connects to allowed addresses only
//   connect  connections to these addresses
//   redirect the request that follows a redirect
// request    the request of a call
//   body     its body
// reply      reads the reply
//   select   finds the result in it

mod allow;
mod body;
mod client;
mod connect;
mod redirect;
mod reply;
mod request;
mod select;

use std::sync::Arc;

use futures_util::FutureExt;
use mynah_core::base::{json_pointer::JsonPointer, memory::Reservation};
use serde_json::{Value, json};

pub use self::{
    allow::Allowed,
    body::Body,
    client::HttpClient,
    redirect::redirected,
    reply::read as read_reply,
    request::{Header, HttpMethod, RequestSource, RequestTemplate, Variables},
};
pub(super) use self::{
    reply::{check_encoding, read_body, status_error},
    request::{HttpSource, parse_url, resolve_headers},
};
use super::references::References;
use crate::tool_loop::{RunTool, ToolContext, ToolError, ToolFuture, ToolOutput};

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
        let (source, result) = source.split();
        let template = RequestTemplate::new(source, &["args"], references)?;
        let client = template.client(allow)?;
        Ok(Self { template, client, result })
    }

    async fn call(&self, arguments: &Value, memory: &Arc<Reservation>) -> Result<Value, ToolError> {
        let variables = Variables::new(&json!({ "args": arguments }));
        let request = self.template.request(&variables).map_err(ToolError::refused)?;
        let response = self.client.send(request).await.map_err(ToolError::new)?;
        let pointer = self.result.as_ref().map(|pointer| pointer.0.as_str());
        read_reply(response, pointer, memory).await
    }
}

impl RunTool for HttpTool {
    fn run(&self, arguments: Value, context: ToolContext) -> ToolFuture<'_> {
        async move { self.call(&arguments, context.memory()).await.map(ToolOutput::from) }.boxed()
    }
}
