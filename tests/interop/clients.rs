//! Runs clients of several languages against a sidecar of daprd and mynah, whose component `echo` is
//! mynah's. They do not notice the difference.

use std::{net::SocketAddr, process::Command};

use super::{
    child,
    examples::{go_example, prints, python_example},
    folder, point_at_ports,
    scripts::dapr_agents_script,
    toolchain::{self, Missing},
};
use crate::support::http::direct_client;

type Client = fn() -> Result<Command, Missing>;

/// Asserts that all clients get mynah's answers. The test needs their suites.
pub(super) async fn work_with(grpc: SocketAddr, http: SocketAddr) {
    let examples: [(&str, Client); 2] = [("python", python_example), ("go", go_example)];
    for (suite, example) in examples {
        toolchain::suite(suite, || {
            let mut app = example()?;
            point_at_ports(&mut app, grpc, http);
            prints(&mut app, &folder(&format!("examples/{suite}/README.md")));
            Ok(())
        });
    }
    toolchain::suite("dapr-agents", || {
        let mut script = dapr_agents_script()?;
        point_at_ports(&mut script, grpc, http);
        child::run(&mut script).expect_success("the script");
        Ok(())
    });
    toolchain::suite("grpcurl", || {
        let mut call = Command::new(toolchain::grpcurl()?);
        let request = r#"{"name": "echo", "inputs": [{"messages": [{"ofUser": {"content": [{"text": "hi"}]}}]}]}"#;
        // daprd allows reflection only to calls for an application.
        call.args(["-plaintext", "-reflect-header", "dapr-app-id: app", "-d", request]);
        call.args([&grpc.to_string(), "dapr.proto.runtime.v1.Dapr/ConverseAlpha2"]);
        let answer = child::run(&mut call).expect_success("grpcurl");
        assert!(answer.contains(r#""content": "hi""#), "{answer}");
        Ok(())
    });
    let url = format!("http://{http}/v1.0-alpha2/conversation/echo/converse");
    let request = r#"{"inputs": [{"messages": [{"ofUser": {"content": [{"text": "hi"}]}}]}]}"#;
    let answer = direct_client().post(url).body(request).send().await.unwrap();
    assert_eq!(answer.status(), 200);
}
