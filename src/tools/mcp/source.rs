//! The MCP servers in a file.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::tools::value::Argv;

/// Maximum length of a server's name in messages, in characters.
const MAX_LABEL_LEN: usize = 80;
/// Maximum length of a prefix, so that half of a tool's name is left.
const MAX_PREFIX_LEN: usize = 32;

/// An MCP server, whose tools are added.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "McpFields")]
#[schemars(with = "McpFields")]
pub(in crate::tools) struct McpSource {
    pub(super) endpoint: Endpoint,
    /// The names of the tools to add. `None` adds all tools.
    pub(super) include: Option<Vec<String>>,
    pub(super) prefix: String,
}

/// Where a server is.
#[derive(Debug)]
pub(super) enum Endpoint {
    /// A child process that speaks MCP on standard input and output.
    Command(Argv),
}

/// An MCP server, whose tools are added.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct McpFields {
    /// The command that starts the server. It speaks MCP on standard input and output.
    command: Argv,
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
        let McpFields { command, include, prefix } = fields;
        if include.as_ref().is_some_and(Vec::is_empty) {
            return Err("include is empty; expected a list of tool names".to_owned());
        }
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if prefix.len() > MAX_PREFIX_LEN || !prefix.bytes().all(is_allowed) {
            let expected = "expected up to 32 ASCII letters, digits, _ and -";
            return Err(format!("invalid prefix {prefix:?}; {expected}"));
        }
        Ok(Self { endpoint: Endpoint::Command(command), include, prefix })
    }
}

/// The endpoint in messages.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Command(argv) = self;
        let words: Vec<_> = [&argv.program].into_iter().chain(&argv.arguments).cloned().collect();
        let text = words.join(" ");
        match text.char_indices().nth(MAX_LABEL_LEN) {
            Some((end, _)) => write!(f, "{}…", &text[..end]),
            None => f.write_str(&text),
        }
    }
}
