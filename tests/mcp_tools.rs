//! Tests of the tools of MCP servers that are shell scripts. `interop::mcp_tools` has tests with
//! the official SDK.

mod http;

use std::{fs, path::PathBuf, thread};

use insta::assert_snapshot;
use mynah::{tool_loop::ToolRegistry, tools};

use crate::support::{
    process::{wait_for_exit, wait_until, with_timeout},
    scratch,
};

/// A server with the tools `read.file` and `stop`. The first argument is the folder in which it
/// writes its process id. The ids of the calls are counted, because the client also counts them.
const SERVER: &str = r#"
echo $$ >> "$1/pids"
id=0
answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; id=$((id + 1)); }
while read -r line; do
    case "$line" in
    *'"initialize"'*) answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"read.file","inputSchema":{"type":"object"}},{"name":"stop","inputSchema":{"type":"object"}}]}' ;;
    *'"stop"'*) echo 'out of paper' >&2; exit 7 ;;
    *'"tools/call"'*) answer '{"content":[{"type":"text","text":"file of '$$'"}]}' ;;
    esac
done
"#;

pub(crate) struct Server {
    folder: PathBuf,
}

impl Server {
    pub(crate) fn new() -> Self {
        let folder = scratch("mcp-tools");
        fs::write(folder.join("server.sh"), SERVER).unwrap();
        Self { folder }
    }

    /// Returns the entry of a file with this server, and with other keys of `mcp`.
    pub(crate) fn entry(&self, keys: &str) -> String {
        let folder = self.folder.display();
        format!("- mcp: {{command: [sh, {folder}/server.sh, {folder}]{keys}}}\n")
    }

    /// Loads a file with this server, and with other keys of `mcp` and other entries.
    async fn load(&self, keys: &str, others: &str) -> Result<ToolRegistry, String> {
        load(&(self.entry(keys) + others)).await
    }

    /// Returns the ids of the processes that were started, one a line.
    pub(crate) fn pids(&self) -> String {
        fs::read_to_string(self.folder.join("pids")).unwrap_or_default()
    }
}

async fn load(entries: &str) -> Result<ToolRegistry, String> {
    let file = scratch("mcp-tools").join("tools.yaml");
    fs::write(&file, format!("tools:\n{entries}")).unwrap();
    let tools = with_timeout(tools::load(&file)).await;
    tools.map_err(|error| error.message)
}

fn names(tools: &ToolRegistry) -> Vec<&str> {
    tools.tools().map(|tool| tool.name.as_str()).collect()
}

async fn call(tools: &ToolRegistry, name: &str) -> String {
    let result = with_timeout(tools.run(name, "{}")).await;
    result.unwrap_or_else(|error| error.to_string())
}

#[tokio::test]
async fn tools_have_valid_names_and_are_called_by_their_own() {
    let server = Server::new();
    let tools = server.load(", prefix: a-", "  timeout: 50s\n  repeatable: true\n").await.unwrap();
    assert_eq!(names(&tools), ["a-read_file", "a-stop"]);
    let limits = tools.get("a-stop").unwrap().settings().unwrap();
    assert_eq!((limits.timeout.as_secs(), limits.repeatable), (50, true));
    let pid = server.pids();
    assert_eq!(call(&tools, "a-read_file").await, format!("file of {}", pid.trim()));
    assert_eq!(names(&server.load(", include: [stop]", "").await.unwrap()), ["stop"]);
}

#[tokio::test]
async fn a_server_that_has_ended_is_started_again() {
    let server = Server::new();
    let tools = server.load("", "").await.unwrap();
    assert_snapshot!(call(&tools, "stop").await, @"Error executing stop: the connection to the MCP server is lost: it ended with exit status 7: out of paper");
    let answer = call(&tools, "read_file").await;
    let pids = server.pids();
    assert_eq!(pids.lines().count(), 2);
    assert_eq!(answer, format!("file of {}", pids.lines().last().unwrap()));
    drop(tools);
    let pids = server.folder.join("pids");
    tokio::task::spawn_blocking(move || wait_for_exit(&pids)).await.unwrap();
}

#[tokio::test]
async fn tools_can_be_called_from_other_runtimes() {
    let server = Server::new();
    let tools = server.load("", "").await.unwrap();
    let calling = thread::spawn(move || {
        let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime().unwrap().block_on(call(&tools, "stop"));
        // Only this runtime ends, but not the new connection.
        runtime().unwrap().block_on(call(&tools, "read_file"));
        runtime().unwrap().block_on(call(&tools, "read_file"))
    });
    let is_finished = async || calling.is_finished().then_some(());
    wait_until(is_finished, "the calls do not end").await;
    assert!(calling.join().unwrap().starts_with("file of"));
    assert_eq!(server.pids().lines().count(), 2);
}

#[tokio::test]
async fn invalid_servers_are_rejected() {
    let server = Server::new();
    let mut errors = Vec::new();
    for (keys, others) in [
        (", include: [stop, read]", ""),
        ("", "- {name: stop, command: [date]}"),
        (", prefix: x_", "- {name: x_read_file, command: [date]}"),
        (", include: []", ""),
        (", prefix: a.b", ""),
        ("", "  name: f"),
    ] {
        let error = server.load(keys, others).await.unwrap_err();
        // The command has the path of a folder.
        errors.push(error.split_once("`: ").map_or(&*error, |(_, reason)| reason).to_owned());
    }
    for command in [
        "mynah-no-such-program, a",
        "sh, -c, 'echo no config >&2; exit 2'",
        "sh, -c, 'echo hello'",
        "sh, -c, 'read -r line; exec >&-; sleep 1000'",
        "sleep, '1000'",
        "'true', a long argument, a long argument, a long argument, a long argument, a long argument",
    ] {
        errors.push(load(&format!("- mcp: {{command: [{command}]}}")).await.unwrap_err());
    }
    assert_snapshot!(errors.join("\n"), @r#"
    there is no tool "read"; it has: read.file, stop
    a tool named stop is already registered; set `prefix` to rename the tools of an MCP server
    a tool named x_read_file is already registered; set `prefix` to rename the tools of an MCP server
    include is empty; expected a list of tool names
    invalid prefix "a.b"; expected up to 32 ASCII letters, digits, _ and -
    a tool with mcp must not have name, description, parameters, command, http and static
    the MCP server `mynah-no-such-program a`: cannot run mynah-no-such-program: No such file or directory (os error 2)
    the MCP server `sh -c echo no config >&2; exit 2`: it ended with exit status 2: no config
    the MCP server `sh -c echo hello`: it ended with exit status 0
    the MCP server `sh -c read -r line; exec >&-; sleep 1000`: it closed its output
    the MCP server `sleep 1000`: no answer within 10s
    the MCP server `true a long argument a long argument a long argument a long argument a long argu…`: it ended with exit status 0
    "#);
}

#[tokio::test]
async fn endless_lists_and_messages_are_rejected() {
    const INITIALIZE: &str = r#"read -r line; echo "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"a\",\"version\":\"1\"}}}"; read -r line"#;
    let folder = scratch("mcp-tools");
    let mut errors = Vec::new();
    for (name, script) in [
        (
            "pages",
            r#"id=1; while read -r line; do echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"tools\":[],\"nextCursor\":\"$id\"}}"; id=$((id + 1)); done"#,
        ),
        ("line", "yes | tr -d '\\n'"),
    ] {
        let file = folder.join(name);
        fs::write(&file, format!("{INITIALIZE}\n{script}\n")).unwrap();
        let error = load(&format!("- mcp: {{command: [sh, {}]}}", file.display())).await;
        errors.push(error.unwrap_err().replace(&folder.display().to_string(), "[folder]"));
    }
    assert_snapshot!(errors.join("\n"), @"
    the MCP server `sh [folder]/pages`: it lists more than 2000 tools or 16 MiB of definitions
    the MCP server `sh [folder]/line`: cannot list the tools: the connection to the MCP server is lost: it wrote a message longer than 16 MiB
    ");
}
