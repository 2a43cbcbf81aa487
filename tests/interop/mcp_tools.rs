//! Tests of the tools of an MCP server with the official Python SDK.

use insta::assert_snapshot;
use mynah::{tool_loop::ToolRegistry, tools};
use mynah_needs::needs;

use super::{
    child,
    mcp_server::{Server, with_servers},
    point_at,
};
use crate::support::{
    Sidecar, mynah,
    process::{wait_for_exit, with_timeout},
};

async fn load(server: &Server) -> ToolRegistry {
    with_timeout(tools::load(&server.tools_file())).await.unwrap()
}

async fn call(tools: &ToolRegistry, name: &str, arguments: &str) -> String {
    let result = with_timeout(tools.run(name, arguments)).await;
    result.unwrap_or_else(|error| error.to_string())
}

#[needs("mcp")]
#[test]
fn lists_all_pages() {
    with_servers(&async |server| {
        let tools = load(server).await;
        let names: Vec<_> = tools.tools().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names.len(), 308);
        assert_eq!([names[0], names[307]], ["files_read", "tool_299"]);
    });
}

#[needs("mcp")]
#[test]
fn results_and_errors() {
    with_servers(&async |server| {
        let tools = load(server).await;
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
        let answers = answers.join("\n");
        insta::allow_duplicates!(assert_snapshot!(answers, @r#"
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
        "#));
        assert_eq!(call(&tools, "flood", r#"{"bytes": 5000000}"#).await.len(), 5_000_000);
    });
}

#[needs("mcp")]
#[test]
fn cancelled_calls_are_reported_to_the_server() {
    with_servers(&async |server| {
        let tools = load(server).await;
        tokio::select! {
            answer = call(&tools, "wait", "{}") => panic!("{answer}"),
            () = server.wait_for_event("started") => {}
        }
        server.wait_for_event("cancelled").await;
        assert_eq!(call(&tools, "tool_000", "{}").await, "called tool_000");
        assert_eq!(server.events(), ["serving", "started", "cancelled"]);
    });
}

#[needs("mcp")]
#[test]
fn a_server_that_dies_is_started_again() {
    with_servers(&async |server| {
        let tools = load(server).await;
        let dying = async {
            server.wait_for_event("started").await;
            call(&tools, "die", "{}").await
        };
        let (interrupted, died) = tokio::join!(call(&tools, "wait", "{}"), dying);
        let reason = match server.process {
            None => "it ended with exit status 3: the server has a bug",
            Some(_) => "it closed the connection",
        };
        let lost = format!("the connection to the MCP server is lost: {reason}");
        assert_eq!(interrupted, format!("Error executing wait: {lost}"));
        assert_eq!(died, format!("Error executing die: {lost}"));
        server.restart().await;
        assert_eq!(call(&tools, "tool_000", "{}").await, "called tool_000");
        assert_eq!(server.events(), ["serving", "started", "died", "serving"]);
    });
}

#[needs("mcp")]
#[test]
fn results_are_limited() {
    with_servers(&async |server| {
        let tools = load(server).await;
        let answer = call(&tools, "flood", r#"{"bytes": 17000000}"#).await;
        let reason = match server.process {
            None => {
                "the connection to the MCP server is lost: it wrote a message longer than 16 MiB"
            }
            Some(_) => "the response is longer than 16 MiB",
        };
        assert_eq!(answer, format!("Error executing flood: {reason}"));
        assert_eq!(call(&tools, "tool_000", "{}").await, "called tool_000");
    });
}

#[needs("mcp")]
#[test]
fn concurrent_calls_get_their_own_results() {
    with_servers(&async |server| {
        let tools = load(server).await;
        let calls = (0..300).map(async |number| {
            let answer = call(&tools, &format!("tool_{number:03}"), "{}").await;
            assert_eq!(answer, format!("called tool_{number:03}"));
        });
        futures_util::future::join_all(calls).await;
    });
}

#[needs("mcp")]
#[test]
fn converse_runs_the_tools() {
    with_servers(&async |server| {
        let sidecar = Sidecar::start();
        let mut command = mynah();
        point_at(&mut command, &sidecar);
        let file = server.tools_file();
        command.args(["converse", "Please locate the city of Rome", "--tools"]).arg(file);
        assert_eq!(child::run(&mut command).expect_success("converse"), "Rome is in Europe\n");
        if server.process.is_none() {
            // The server ends with mynah.
            wait_for_exit(&server.folder.join("pids"));
        }
    });
}
