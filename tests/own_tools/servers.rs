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
    mynah: the components cannot be loaded:
      …/tools.yaml:2:3: component echo: the MCP server `no-such-mcp-server`: cannot run no-such-mcp-server: No such file or directory (os error 2)
    "#);
    let owner = Owner::new(
        "echo",
        "",
        "tools:\n- mcp: {command: [sh, -c, 'read -r line; echo no key >&2']}\n",
    );
    let Output { stderr, .. } = run(&["--resources-path", &owner.resources()]);
    assert_snapshot!(stderr.replace(owner.folder.to_str().unwrap(), "…"), @r#"
    mynah: the components cannot be loaded:
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
