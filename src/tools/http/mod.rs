//! A tool that makes an HTTP request.

// allow      the addresses that the tools of a file may connect to
// connect    connections to these addresses
// request    the request of a call
// reply      reads the reply
// template   URLs and bodies with the arguments of a call

mod allow;
mod connect;
mod reply;
mod request;
mod template;

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture};
use http::{Request, Response, header::LOCATION, uri::Scheme};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{self, Client, ResponseFuture},
    rt::{TokioExecutor, TokioTimer},
};
use serde_json::Value;

use self::{allow::AllowList, connect::Connector, request::redirected};
pub(super) use self::{
    allow::Allowed,
    request::{HttpSource, RequestTemplate},
};
use crate::tool_loop::{RunTool, ToolContext, ToolError, ToolOutput};

/// Maximum number of redirects that a call follows.
const MAX_REDIRECTS: usize = 5;

/// Reads the system's certificates only if they are needed: a container may have none.
#[derive(Debug)]
enum HttpClient {
    Plain(Client<Connector, Full<Bytes>>),
    Tls(Client<HttpsConnector<Connector>, Full<Bytes>>),
}

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
        let allow = match allow {
            Some(allow) => AllowList::new(allow.to_vec()),
            None => AllowList::only(&template.origin).ok_or("the URL has no host")?,
        };
        let client = HttpClient::new(allow, template.origin.scheme() == Some(&Scheme::HTTPS))?;
        Ok(Self { template, client })
    }

    async fn call(&self, arguments: &Value) -> Result<Value, ToolError> {
        let mut request = self.template.request(arguments).map_err(ToolError::refused)?;
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send(request.clone()).await?;
            match response.headers().get(LOCATION).filter(|_| response.status().is_redirection()) {
                Some(location) => {
                    request = redirected(request, response.status().as_u16(), location)
                        .map_err(ToolError::new)?;
                }
                None => return reply::read(response, self.template.result.as_deref()).await,
            }
        }
        Err(ToolError::new(format_args!("more than {MAX_REDIRECTS} redirects")))
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, ToolError> {
        self.client.request(request).await.map_err(|error| ToolError::new(reason(&error)))
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

impl HttpClient {
    fn new(allow: AllowList, needs_tls: bool) -> Result<Self, String> {
        let builder = || {
            let mut builder = Client::builder(TokioExecutor::new());
            builder.pool_timer(TokioTimer::new());
            builder
        };
        let connector = Connector { allow: Arc::new(allow), has_tls: needs_tls };
        if !needs_tls {
            return Ok(Self::Plain(builder().build(connector)));
        }
        let https = HttpsConnectorBuilder::new()
            .with_native_roots()
            .map_err(|error| format!("cannot read the system's certificates: {error}"))?
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        Ok(Self::Tls(builder().build(https)))
    }

    fn request(&self, request: Request<Full<Bytes>>) -> ResponseFuture {
        match self {
            Self::Plain(client) => client.request(request),
            Self::Tls(client) => client.request(request),
        }
    }
}

/// Returns the innermost cause, which names what has failed.
fn reason(error: &legacy::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        if cause.is::<connect::ConnectError>() {
            break;
        }
        cause = source;
    }
    cause.to_string()
}
