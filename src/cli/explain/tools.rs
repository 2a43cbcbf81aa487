//! Reads the tools of `mynah explain`.

use std::{collections::BTreeSet, path::Path};

use crate::{
    base::{
        diagnostics::{Diagnostic, Place},
        environment::Environment,
        files,
        reader_message::reason,
        yaml::{self, Node, to_json},
    },
    chat::{Request, Tool},
    tools::{CheckedTools, LoadContext, Programs},
    wire::sent::{SentApi, SentRequest},
};

const NO_TOOLS: &str = "no tools; expected a list of tools, or an object with a list `tools`, such as a request or \
                        a tools file";

const EXPECTED: &str = "expected an object with `name`, `description` and `parameters`, which may be in \
                        `function`";

/// The keys that say what a tool of a tools file does.
const ACTIONS: [&str; 4] = ["command", "http", "mcp", "static"];

/// Reads the tools in a file: a list, a request with a list `tools`, or a tools file.
pub(super) async fn read(file: &Path, environment: &Environment) -> Result<Vec<Tool>, Diagnostic> {
    let text = files::read(file)?;
    let tools = match listed(&text) {
        Ok(None) => runnable(&text, environment).await,
        listed => listed.map(Option::unwrap_or_default),
    };
    tools.map_err(|error| error.in_file(file))
}

/// Reads the list of tools in a text. Returns `None` if the text is a tools file.
fn listed(text: &str) -> Result<Option<Vec<Tool>>, Diagnostic> {
    let no_tools = |place| Diagnostic::error(NO_TOOLS).at(place);
    let tree = yaml::parse_own(text)?.ok_or_else(|| no_tools(Place { line: 1, column: 1 }))?;
    if let Some(error) = tree.repeated_keys.into_iter().next() {
        return Err(error);
    }
    let list = tree.root.field("tools").unwrap_or(&tree.root);
    let tools = match &list.value {
        yaml::Value::List(tools) if !tools.is_empty() => tools,
        _ => return Err(no_tools(list.place)),
    };
    let has_action = |tool: &Node| ACTIONS.iter().any(|action| tool.field(action).is_some());
    if tools.iter().any(has_action) {
        return Ok(None);
    }
    tools.iter().map(defined).collect::<Result<_, _>>().map(Some)
}

/// Reads the definition of a tool, which may be in `function`, as that in a request.
fn defined(tool: &Node) -> Result<Tool, Diagnostic> {
    let function = to_json(tool.field("function").unwrap_or(tool));
    let body =
        format!(r#"{{"messages":[],"tools":[{{"type":"function","function":{function}}}]}}"#);
    let request = SentRequest::json(SentApi::OpenAi, &body.into());
    let request = request.to_chat("echo", &BTreeSet::new()).map_err(|error| error.to_string());
    let tool_in = |mut request: Request| request.tools.pop().ok_or_else(|| "missing".to_owned());
    request.and_then(tool_in).map_err(|error| {
        let (key, error) = error.split_once(": ").unwrap_or(("", &error));
        let key = key.trim_start_matches("tools[0].function").trim_start_matches('.');
        // Its place is one in the request.
        let error = format!("{key} {}", reason(error, "an object"));
        let error = format!("not a tool: {}; {EXPECTED}", error.trim_start());
        Diagnostic::error(error).at(tool.place)
    })
}

/// Reads a tools file. MCP servers are started, since they have the definitions of their tools.
async fn runnable(text: &str, environment: &Environment) -> Result<Vec<Tool>, Diagnostic> {
    let context = LoadContext { references: environment, programs: Programs::All };
    let checked = CheckedTools::read(text, &context).map_err(|mut errors| errors.remove(0))?;
    Ok(checked.connect().await?.tools().cloned().collect())
}
