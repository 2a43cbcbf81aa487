//! Tests of components that own the tools of an MCP server with the official Python SDK.

use std::fs;

use mynah::internals::wire::proto::ConversationRequestAlpha2;
use mynah_needs::needs;
use serde_json::{Value, json};

use super::mcp_server::{Server, with_servers};
use crate::{
    chains::chain,
    own_tools::{Owner, calls},
    support::{
        Sidecar,
        messages::{request, user},
        process::{wait_for_exit, wait_until, with_timeout},
    },
};

/// Creates a scripted component that owns the tools of a server.
fn owner(server: &Server) -> Owner {
    Owner::new("scripted", "", &fs::read_to_string(server.tools_file()).unwrap())
}

/// Returns a request that calls a tool and gets the result as its answer.
fn calling(name: &str, args: Value) -> ConversationRequestAlpha2 {
    let steps = json!([calls(&[(name, args)]), {"messages": [{"tool_results": {}}]}]);
    request([chain(steps)])
}

/// Returns the answer to a request. The caller gets no calls.
async fn ask(sidecar: &Sidecar, request: ConversationRequestAlpha2) -> String {
    let answer = with_timeout(sidecar.converse(request)).await.unwrap();
    assert!(answer.calls.is_empty(), "{answer:?}");
    answer.content
}

async fn wait_for_log(sidecar: &Sidecar, line: &str) {
    let logged = async || sidecar.log().contains(line).then_some(());
    wait_until(logged, "the line was not logged").await;
}

#[needs("mcp")]
#[test]
fn answers_contain_the_results() {
    with_servers(&async |server| {
        let owner = owner(server);
        let sidecar = owner.start();
        let asked = calling("locate", json!({"city": "Rome"}));
        assert_eq!(ask(&sidecar, asked).await, "Rome is in Europe");
        let refused = "Error executing refuse: the disk is full";
        assert_eq!(ask(&sidecar, calling("refuse", json!({}))).await, refused);
        drop(sidecar);
        owner.put_component("echo", "");
        let question = request([user("Please locate the city of Rome")]);
        assert_eq!(ask(&owner.start(), question).await, "Rome is in Europe");
    });
}

#[needs("mcp")]
#[test]
fn a_server_that_dies_is_started_again_at_the_next_request() {
    with_servers(&async |server| {
        let sidecar = owner(server).start();
        let reason = match server.process {
            None => "it ended with exit status 3: the server has a bug",
            Some(_) => "it closed the connection",
        };
        let lost =
            format!("Error executing die: the connection to the MCP server is lost: {reason}");
        assert_eq!(ask(&sidecar, calling("die", json!({}))).await, lost);
        server.restart().await;
        assert_eq!(ask(&sidecar, calling("tool_000", json!({}))).await, "called tool_000");
        assert_eq!(server.events(), ["serving", "died", "serving"]);
    });
}

#[needs("mcp")]
#[test]
fn cancelled_requests_are_reported_to_the_server() {
    with_servers(&async |server| {
        let sidecar = owner(server).start();
        tokio::select! {
            answer = ask(&sidecar, calling("wait", json!({}))) => panic!("{answer}"),
            () = server.wait_for_event("started") => {}
        }
        server.wait_for_event("cancelled").await;
        assert_eq!(ask(&sidecar, calling("tool_000", json!({}))).await, "called tool_000");
        assert_eq!(server.events(), ["serving", "started", "cancelled"]);
    });
}

#[needs("mcp")]
#[test]
fn a_reload_with_the_same_tools_keeps_the_server() {
    with_servers(&async |server| {
        let owner = owner(server);
        let flags = ["--log-level=debug", "--resources-path", &owner.resources()];
        let sidecar = Sidecar::start_with(&flags);
        owner.put_tools(&fs::read_to_string(owner.tools_file()).unwrap());
        wait_for_log(&sidecar, "component files read again: nothing has changed").await;
        owner.put_component("scripted", "  - {name: toolMemory, value: 5}\n");
        wait_for_log(&sidecar, "components reloaded").await;
        assert_eq!(ask(&sidecar, calling("tool_000", json!({}))).await, "called tool_000");
        assert_eq!(server.events(), ["serving"]);
    });
}

#[needs("mcp")]
#[test]
fn a_reload_with_a_server_that_cannot_be_started_keeps_the_tools() {
    with_servers(&async |server| {
        let owner = owner(server);
        let sidecar = owner.start();
        owner.put_tools("tools:\n- mcp: {command: [no-such-mcp-server]}\n");
        wait_for_log(&sidecar, "files not reloaded").await;
        assert!(sidecar.log().contains("cannot run no-such-mcp-server"), "{}", sidecar.log());
        assert_eq!(ask(&sidecar, calling("tool_000", json!({}))).await, "called tool_000");
        assert_eq!(server.events(), ["serving"]);
    });
}

#[needs("mcp")]
#[test]
fn a_server_ends_when_its_tools_are_replaced() {
    with_servers(&async |server| {
        if server.process.is_some() {
            return;
        }
        let owner = owner(server);
        let sidecar = owner.start();
        owner.put_tools("tools:\n- {name: count, static: [{result: 7}]}\n");
        wait_for_log(&sidecar, "components reloaded").await;
        wait_for_exit(&server.folder.join("pids"));
        assert_eq!(ask(&sidecar, calling("count", json!({}))).await, "7");
    });
}
