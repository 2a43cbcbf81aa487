//! Lists the tools of a server and names them.

use mynah_core::chat::{LazyJson, Tool};
use rmcp::model::PaginatedRequestParams;
use serde_json::Value;

use super::connection::Connection;

/// Maximum number of tools of a server.
const MAX_TOOLS: usize = 2_000;
/// Maximum size of all definitions of a server in bytes.
const MAX_DEFINITIONS: usize = 16 << 20;
/// Maximum length of a name that models accept.
const MAX_NAME_LEN: usize = 64;

/// A tool of a server.
#[derive(Debug)]
pub(super) struct ListedTool {
    pub(super) definition: Tool,
    /// The name by which the server is called.
    pub(super) remote_name: String,
}

impl Connection {
    /// Lists all tools, under the server's names.
    pub(super) async fn list(&self) -> Result<Vec<Tool>, String> {
        let (mut tools, mut size, mut cursor) = (Vec::new(), 0, None);
        // An empty page counts as a tool, so that the list ends.
        for _ in 0..=MAX_TOOLS {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let page = self.service.list_tools(Some(params)).await;
            let page =
                page.map_err(|error| format!("cannot list the tools: {}", self.explain(error)))?;
            let new = page.tools.into_iter().map(definition);
            tools.extend(new.inspect(|tool: &Tool| size += size_of(tool)));
            if tools.len() > MAX_TOOLS || size > MAX_DEFINITIONS {
                break;
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(tools);
            }
        }
        Err(format!("it lists more than {MAX_TOOLS} tools or 16 MiB of definitions"))
    }
}

fn definition(tool: rmcp::model::Tool) -> Tool {
    let parameters = Value::Object(tool.input_schema.as_ref().clone());
    Tool {
        name: tool.name.into_owned(),
        description: tool.description.map(|text| text.into_owned()),
        parameters: Some(LazyJson::new(parameters)),
    }
}

fn size_of(tool: &Tool) -> usize {
    let description = tool.description.as_ref().map_or(0, String::len);
    tool.name.len() + description + tool.parameters.as_ref().map_or(0, LazyJson::size)
}

/// Selects the included tools, and gives them names that models accept.
pub(super) fn select(
    tools: Vec<Tool>,
    include: Option<&[String]>,
    prefix: &str,
) -> Result<Vec<ListedTool>, String> {
    let is_listed = |name: &&String| tools.iter().any(|tool| tool.name == **name);
    if let Some(missing) = include.into_iter().flatten().find(|name| !is_listed(name)) {
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
        return Err(format!("there is no tool {missing:?}; it has: {}", names.join(", ")));
    }
    let is_included = |tool: &Tool| include.is_none_or(|included| included.contains(&tool.name));
    let listed = tools.into_iter().filter(is_included).map(|tool| ListedTool {
        definition: Tool { name: valid_name(prefix, &tool.name), ..tool.clone() },
        remote_name: tool.name,
    });
    Ok(listed.collect())
}

/// Returns a name with a prefix, and with `_` instead of characters that models do not accept.
fn valid_name(prefix: &str, name: &str) -> String {
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let name = name.chars().map(|char| if is_allowed(char) { char } else { '_' });
    prefix.chars().chain(name).take(MAX_NAME_LEN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_valid() {
        assert_eq!(valid_name("", "read_file-2"), "read_file-2");
        assert_eq!(valid_name("files_", "fs.read/é"), "files_fs_read__");
        assert_eq!(valid_name("a", &"b".repeat(70)), format!("a{}", "b".repeat(63)));
    }
}
