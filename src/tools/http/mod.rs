//! A tool that makes an HTTP request.

// allow      the addresses that the tools of a file may connect to
// client     an HTTP client that connects to allowed addresses only
//   connect  connections to these addresses
// request    the request of a call
// reply      reads the reply
// template   URLs and bodies with the arguments of a call

mod allow;
mod client;
mod connect;
mod reply;
mod request;
mod template;

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;

pub(super) use self::{
    allow::Allowed,
    client::HttpClient,
    reply::{check_encoding, read_body, status_error},
    request::{Header, HttpSource, RequestTemplate, parse_url, resolve_headers},
};
use crate::tool_loop::{RunTool, ToolContext, ToolError, ToolOutput};

/// A tool that makes an HTTP request to an allowed address.
#[derive(Debug)]
pub(super) struct HttpTool {
    template: RequestTemplate,
    client: HttpClient,
}

impl HttpTool {
    /// Creates a tool. Without `allow`, it may connect to the address in its URL.
    pub(super) fn new(
        template: RequestTemplate,
        allow: Option<&[Allowed]>,
    ) -> Result<Self, String> {
        let client = HttpClient::new(&template.origin, allow)?;
        Ok(Self { template, client })
    }

    async fn call(&self, arguments: &Value) -> Result<Value, ToolError> {
        let request = self.template.request(arguments).map_err(ToolError::refused)?;
        let response = self.client.send(request).await.map_err(ToolError::new)?;
        reply::read(response, self.template.result.as_deref()).await
    }
}

impl RunTool for HttpTool {
    fn run(
        &self,
        arguments: Value,
        _: ToolContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        async move { self.call(&arguments).await.map(ToolOutput::from) }.boxed()
    }
}
