//! The tools of an MCP server.

// source      the servers in a file
// connection  connects to a server, and again if the connection is lost
// stdio       a server that is a child process
// http        a server that is called over HTTP
// events      reads the events of a response
// listing     lists the tools and names them
// call        calls a tool

mod call;
mod connection;
mod events;
mod http;
mod listing;
mod source;
mod stdio;

use std::sync::Arc;

use mynah_core::{
    base::{clock::within, text::shorten},
    chat::Tool,
};

pub(super) use self::{
    call::McpTool,
    source::{CheckedSource, McpSource},
};
use self::{connection::Link, listing::ListedTool};

/// Maximum length of the reason why a server cannot be used, which may come from the server, in
/// characters.
const MAX_REASON: usize = 1_000;

/// A connected MCP server and the selected tools.
#[derive(Debug)]
pub(super) struct McpServer {
    link: Arc<Link>,
    tools: Vec<ListedTool>,
}

impl McpServer {
    /// Starts a server, or connects to it, and lists its tools. The connection belongs to the runtime of the caller;
    /// its tools can be called from any runtime.
    ///
    /// Fails with a message if the server cannot be used.
    pub(super) async fn connect(source: CheckedSource) -> Result<Self, String> {
        let CheckedSource { endpoint, include, prefix } = source;
        let label = endpoint.to_string();
        let connecting = async {
            let link = Link::open(endpoint).await?;
            let tools = link.connection().await?.list().await?;
            Ok(Self {
                tools: listing::select(tools, include.as_deref(), &prefix)?,
                link: link.into(),
            })
        };
        let limit = connection::START_TIMEOUT;
        let connected = within(limit, connecting).await;
        let connected = connected.unwrap_or_else(|| Err(format!("no answer within {limit:?}")));
        connected.map_err(|reason: String| {
            format!("the MCP server `{label}`: {}", shorten(&reason, MAX_REASON))
        })
    }

    /// Returns the tools with their definitions for the model.
    pub(super) fn into_tools(self) -> impl Iterator<Item = (Tool, McpTool)> {
        let link = self.link;
        self.tools
            .into_iter()
            .map(move |tool| (tool.definition, McpTool::new(link.clone(), tool.remote_name)))
    }
}
