//! Tests of the tools of an MCP server with the official Python SDK.

use std::{fs, path::PathBuf};

use insta::assert_snapshot;
use mynah::{tool_loop::ToolRegistry, tools};

use super::{child, folder, point_at, toolchain};
use crate::support::{
    Sidecar, mynah,
    process::{wait_for_exit, wait_until, with_timeout},
    scratch,
};

/// A server and the file with its tools.
struct Server {
    folder: PathBuf,
}

impl Server {
    /// A server that is started by mynah.
    fn stdio(python: &std::path::Path) -> Self {
        let home = scratch("mcp");
        let script = folder("tests/interop/mcp/server.py");
        let [python, script] = [python, &script].map(|path| path.display());
        let entry = format!("command: [{python}, {script}, stdio, {}]", home.display());
        Self::with_entry(home, &entry)
    }

    fn with_entry(folder: PathBuf, entry: &str) -> Self {
        let yaml = format!("tools:\n- {{mcp: {{{entry}}}, repeatable: true}}\n");
        fs::write(folder.join("tools.yaml"), yaml).unwrap();
        Self { folder }
    }

    async fn load(&self) -> ToolRegistry {
        with_timeout(tools::load(&self.folder.join("tools.yaml"))).await.unwrap()
    }

    /// Returns what has happened, without the process ids.
    fn events(&self) -> Vec<String> {
        let events = fs::read_to_string(self.folder.join("events")).unwrap_or_default();
        events.lines().map(str::to_owned).collect()
    }

    async fn wait_for_event(&self, event: &str) {
        let found = async || self.events().iter().any(|it| it == event).then_some(());
        wait_until(found, "the event did not happen").await;
    }
}

async fn call(tools: &ToolRegistry, name: &str, arguments: &str) -> String {
    let result = with_timeout(tools.run(name, arguments)).await;
    result.unwrap_or_else(|error| error.to_string())
}

/// Runs a test with a server if the suite is selected.
fn with_server(test: impl AsyncFnOnce(&Server)) {
    toolchain::suite("mcp", || {
        let requirements = folder("tests/interop/mcp/requirements.txt");
        let server = Server::stdio(&toolchain::python("mcp", &requirements)?);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(test(&server));
        Ok(())
    });
}

#[test]
fn lists_all_pages() {
    with_server(async |server| {
        let tools = server.load().await;
        let names: Vec<_> = tools.tools().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names.len(), 308);
        assert_eq!([names[0], names[307]], ["files_read", "tool_299"]);
    });
}

#[test]
fn results_and_errors() {
    with_server(async |server| {
        let tools = server.load().await;
        let mut answers = Vec::new();
        for (name, arguments) in [
            ("files_read", r#"{"path": "a.txt"}"#),
            ("add", r#"{"a": 1, "b": 2.5}"#),
            ("add", r#"{"a": 1}"#),
            ("locate", r#"{"city": "Rome"}"#),
            ("locate", r#"{"city": "Oslo"}"#),
            ("refuse", "{}"),
            ("draw", "{}"),
            ("tool_299", "{}"),
        ] {
            answers.push(format!("{name}: {}", call(&tools, name, arguments).await));
        }
        assert_snapshot!(answers.join("\n"), @r#"
        files_read: first line
        second line of a.txt
        add: {"sum":3.5}
        add: Error executing add: 'b'
        locate: Rome is in Europe
        locate: Error executing locate: the arguments are not valid: the value is not one of "Paris" or "Rome" at /city
        refuse: Error executing refuse: the disk is full
        draw: a picture
        {"type":"image","data":"QUJD","mimeType":"image/png"}
        tool_299: called tool_299
        "#);
        assert_eq!(call(&tools, "flood", r#"{"bytes": 5000000}"#).await.len(), 5_000_000);
    });
}

#[test]
fn cancelled_calls_are_reported_to_the_server() {
    with_server(async |server| {
        let tools = server.load().await;
        tokio::select! {
            answer = call(&tools, "wait", "{}") => panic!("{answer}"),
            () = server.wait_for_event("started") => {}
        }
        server.wait_for_event("cancelled").await;
        assert_eq!(call(&tools, "tool_000", "{}").await, "called tool_000");
        assert_eq!(server.events(), ["serving", "started", "cancelled"]);
    });
}

#[test]
fn a_server_that_dies_is_started_again() {
    with_server(async |server| {
        let tools = server.load().await;
        let dying = async {
            server.wait_for_event("started").await;
            call(&tools, "die", "{}").await
        };
        let (interrupted, died) = tokio::join!(call(&tools, "wait", "{}"), dying);
        assert_snapshot!(interrupted, @"Error executing wait: the connection to the MCP server is lost: it ended with exit status 3: the server has a bug");
        assert_snapshot!(died, @"Error executing die: the connection to the MCP server is lost: it ended with exit status 3: the server has a bug");
        assert_eq!(call(&tools, "tool_000", "{}").await, "called tool_000");
        assert_eq!(server.events(), ["serving", "started", "died", "serving"]);
    });
}

#[test]
fn results_are_limited() {
    with_server(async |server| {
        let tools = server.load().await;
        assert_snapshot!(call(&tools, "flood", r#"{"bytes": 17000000}"#).await, @"Error executing flood: the connection to the MCP server is lost: it wrote a message longer than 16 MiB");
        assert_eq!(call(&tools, "tool_000", "{}").await, "called tool_000");
    });
}

#[test]
fn converse_runs_the_tools() {
    with_server(async |server| {
        let sidecar = Sidecar::start();
        let mut command = mynah();
        point_at(&mut command, &sidecar);
        let file = server.folder.join("tools.yaml");
        command.args(["converse", "Please locate the city of Rome", "--tools"]).arg(file);
        assert_eq!(child::run(&mut command).expect_success("converse"), "Rome is in Europe\n");
        // The server ends with mynah.
        wait_for_exit(&server.folder.join("pids"));
    });
}
