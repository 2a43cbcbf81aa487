//! The MCP servers in a file.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

use super::http::HttpEndpoint;
use crate::tools::{
    http::{Allowed, Header, HttpClient, References, parse_url, resolve_headers},
    value::Argv,
};

/// Maximum length of a server's name in messages, in characters.
const MAX_LABEL_LEN: usize = 80;
/// Maximum length of a prefix, so that half of a tool's name is left.
const MAX_PREFIX_LEN: usize = 32;

/// An MCP server, whose tools are added.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "McpFields")]
#[schemars(with = "McpFields")]
pub(crate) struct McpSource {
    address: Address,
    include: Option<Vec<String>>,
    prefix: String,
}

#[derive(Debug, Clone)]
enum Address {
    Command(Argv),
    Url(String, Vec<Header>),
}

/// An MCP server, whose tools are added: exactly one of `command` and `url`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = [{ "required": ["command"] }, { "required": ["url"] }],
    "dependentRequired" = { "headers": ["url"] },
))]
struct McpFields {
    /// The command that starts the server. It speaks MCP on standard input and output.
    command: Option<Argv>,
    /// URL of the server, which speaks MCP over streamable HTTP.
    #[schemars(extend("type" = "string"), regex(pattern = "^https?://[^/?#{]+([/?].*)?$"))]
    url: Option<String>,
    /// Headers of the requests to the URL.
    headers: Option<Vec<Header>>,
    /// Names of the tools to add, as the server lists them. Default: all tools.
    #[schemars(extend("type" = "array", "minItems" = 1))]
    include: Option<Vec<String>>,
    /// Text before the names of the tools: up to 32 ASCII letters, digits, _ and -.
    #[serde(default)]
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{0,32}$"))]
    prefix: String,
}

impl TryFrom<McpFields> for McpSource {
    type Error = String;

    fn try_from(fields: McpFields) -> Result<Self, String> {
        let McpFields { command, url, headers, include, prefix } = fields;
        let address = match (command, url, headers) {
            (Some(command), None, None) => Address::Command(command),
            (None, Some(url), headers) => Address::Url(url, headers.unwrap_or_default()),
            (Some(_), None, Some(_)) => return Err("headers need a url".to_owned()),
            _ => return Err("mcp needs exactly one of command and url".to_owned()),
        };
        if include.as_ref().is_some_and(Vec::is_empty) {
            return Err("include is empty; expected a list of tool names".to_owned());
        }
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if prefix.len() > MAX_PREFIX_LEN || !prefix.bytes().all(is_allowed) {
            let expected = "expected up to 32 ASCII letters, digits, _ and -";
            return Err(format!("invalid prefix {prefix:?}; {expected}"));
        }
        Ok(Self { address, include, prefix })
    }
}

/// Where a server is, and which tools to add.
#[derive(Debug, Clone)]
pub(crate) struct CheckedSource {
    pub(super) endpoint: Endpoint,
    /// The names of the tools to add. `None` adds all tools.
    pub(super) include: Option<Vec<String>>,
    pub(super) prefix: String,
}

/// Where a server is.
#[derive(Debug, Clone)]
pub(super) enum Endpoint {
    /// A child process that speaks MCP on standard input and output.
    Command(Argv),
    /// Boxed because a client is large.
    Http(Box<HttpEndpoint>),
}

impl McpSource {
    /// Returns `true` if the server is started, and not only called.
    pub(crate) fn is_program(&self) -> bool {
        matches!(self.address, Address::Command(_))
    }

    /// Checks the URL and the headers. Without `allow`, the host and port in the URL are allowed.
    pub(crate) fn check(
        self,
        allow: Option<&[Allowed]>,
        references: &dyn References,
    ) -> Result<CheckedSource, String> {
        let Self { address, include, prefix } = self;
        let endpoint = match address {
            Address::Command(argv) => Endpoint::Command(argv),
            Address::Url(url, headers) => {
                let url = parse_url(&url)?;
                let client = HttpClient::new(&url, allow)?;
                let headers = resolve_headers(headers, references)?;
                Endpoint::Http(HttpEndpoint { url, headers, client }.into())
            }
        };
        Ok(CheckedSource { endpoint, include, prefix })
    }
}

/// The endpoint in messages, without the query of a URL, which may have secrets.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Command(Argv { program, arguments }) => {
                let words: Vec<_> = [program].into_iter().chain(arguments).cloned().collect();
                words.join(" ")
            }
            Self::Http(endpoint) => {
                endpoint.url.to_string().split('?').next().unwrap_or_default().to_owned()
            }
        };
        match text.char_indices().nth(MAX_LABEL_LEN) {
            Some((end, _)) => write!(f, "{}…", &text[..end]),
            None => f.write_str(&text),
        }
    }
}
