//! Components that own the tools of an MCP server that cannot be started. `interop::owned_mcp_tools`
//! has tests with the official SDK.

use insta::assert_snapshot;

use super::Owner;
use crate::support::process::{Output, run};

#[test]
fn a_server_that_cannot_be_started_is_rejected() {
    let owner = Owner::new("echo", "", "tools:\n- mcp: {command: [no-such-mcp-server]}\n");
    let Output { code, stdout, stderr } = run(&["--resources-path", &owner.resources()]);
    assert_eq!((code, stdout.as_str()), (Some(1), ""));
    assert_snapshot!(stderr.replace(owner.folder.to_str().unwrap(), "…"), @r#"
    mynah: the components cannot be loaded:
      …/tools.yaml:2:3: the MCP server `no-such-mcp-server`: cannot run no-such-mcp-server: No such file or directory (os error 2)
    "#);
    let owner = Owner::new(
        "echo",
        "",
        "tools:\n- mcp: {command: [sh, -c, 'read -r line; echo no key >&2']}\n",
    );
    let Output { stderr, .. } = run(&["--resources-path", &owner.resources()]);
    assert_snapshot!(stderr.replace(owner.folder.to_str().unwrap(), "…"), @r#"
    mynah: the components cannot be loaded:
      …/tools.yaml:2:3: the MCP server `sh -c read -r line; echo no key >&2`: it ended with exit status 0: no key
    "#);
}
