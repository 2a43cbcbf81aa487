//! Components that own the tools of an MCP server that cannot be started. `interop::owned_mcp_tools`
//! has tests with the official SDK.

use std::fs;

use insta::assert_snapshot;
use mynah::internals::wire::proto::ConversationRequestAlpha2;

use super::Owner;
use crate::support::{
    Sidecar,
    messages::{request, user},
    process::{Output, run},
};

#[test]
fn a_server_that_cannot_be_started_is_rejected() {
    let owner = Owner::new("echo", "", "tools:\n- mcp: {command: [no-such-mcp-server]}\n");
    let Output { code, stdout, stderr } = run(&["--resources-path", &owner.resources()]);
    assert_eq!((code, stdout.as_str()), (Some(1), ""));
    assert_snapshot!(stderr.replace(owner.folder.to_str().unwrap(), "…"), @r#"
    mynah: the configuration cannot be loaded:
      …/tools.yaml:2:3: component echo: the MCP server `no-such-mcp-server`: cannot run no-such-mcp-server: No such file or directory (os error 2)
    "#);
    let owner = Owner::new(
        "echo",
        "",
        "tools:\n- mcp: {command: [sh, -c, 'read -r line; echo no key >&2']}\n",
    );
    let Output { stderr, .. } = run(&["--resources-path", &owner.resources()]);
    assert_snapshot!(stderr.replace(owner.folder.to_str().unwrap(), "…"), @r#"
    mynah: the configuration cannot be loaded:
      …/tools.yaml:2:3: component echo: the MCP server `sh -c read -r line; echo no key >&2`: it ended with exit status 0: no key
    "#);
}

#[tokio::test]
async fn a_component_that_may_fail_is_skipped() {
    let owner = Owner::new("echo", "", "tools:\n- mcp: {command: [no-such-mcp-server]}\n");
    let file = owner.folder.join("resources/component.yaml");
    let component = fs::read_to_string(&file).unwrap();
    let failing = component.replace("spec:\n", "spec:\n  ignoreErrors: true\n");
    let other = "---\napiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {name: other}\n\
                 spec: {type: conversation.echo, version: v1}\n";
    fs::write(&file, format!("{failing}{other}")).unwrap();
    let sidecar = Sidecar::start_with(&["--resources-path", &owner.resources()]);
    let asked = ConversationRequestAlpha2 { name: "other".into(), ..request([user("hi")]) };
    assert_eq!(sidecar.converse(asked).await.unwrap().content, "hi");
    let warning = "skipped (spec.ignoreErrors): component echo: the MCP server `no-such-mcp-server`: \
                   cannot run no-such-mcp-server";
    assert!(sidecar.log().contains(warning), "{}", sidecar.log());
    assert!(sidecar.converse(request([user("hi")])).await.is_err());
    drop(sidecar);
    // A component that is a fallback is not skipped.
    let fallback = "version: v1, metadata: [{name: fallback, value: main}]";
    let other = other
        .replace("conversation.echo", "conversation.scripted")
        .replace("version: v1", fallback);
    let failing = failing.replace("{name: echo}", "{name: main}");
    fs::write(&file, format!("{failing}{other}")).unwrap();
    let Output { code, stderr, .. } = run(&["--resources-path", &owner.resources()]);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("tools.yaml:2:3: component main: the MCP server"), "{stderr}");
}

/// Sends requests that nobody asked for, and answers a call with an error of 3 MB.
const TALKER: &str = r#"
id=0
answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,$1}"; id=$((id + 1)); }
flood() {
    number=0
    while [ $number -lt 500 ]; do
        echo "{\"jsonrpc\":\"2.0\",\"id\":\"s$number\",\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[],\"maxTokens\":1}}"
        number=$((number + 1))
    done
}
while read -r line; do
    case "$line" in
    *'"initialize"'*) answer '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}' ;;
    *'"tools/list"'*) answer '"result":{"tools":[{"name":"read_file","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) flood; answer "\"error\":{\"code\":-32603,\"message\":\"$(head -c 3000000 /dev/zero | tr '\0' x)\"}" ;;
    esac
done
"#;

#[tokio::test]
async fn a_server_cannot_flood_the_log() {
    let owner = Owner::new("echo", "", "");
    let script = owner.folder.join("talker.sh");
    fs::write(&script, TALKER).unwrap();
    owner.put_tools(&format!("tools:\n- mcp: {{command: [sh, {}]}}\n", script.display()));
    let sidecar = owner.start();
    sidecar.converse(request([user("read file")])).await.unwrap();
    let log = sidecar.log();
    assert_eq!(log.matches("tool call failed").count(), 1, "{}", log.len());
    assert!(log.len() < 10_000, "{}", log.len());
}
