//! Tests of mynah as a pluggable component of the daprd that the Go module `daprd/` builds.

mod answers;
mod conformance;
mod failures;
mod resiliency;

use std::{net::SocketAddr, path::PathBuf, process::Command};

use mynah_needs::needs;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{
    child, folder,
    manifest::{item, resource},
    toolchain,
};
use crate::{
    parity::target::{Exit, Program, Setup, Target},
    support::{Sidecar, http::direct_client, scratch},
};

/// A component's name and its metadata.
type Component<'a> = (&'a str, &'a [(&'a str, &'a str)]);

#[needs("daprd")]
#[test]
fn go_module_passes_its_own_tests() {
    toolchain::suite("daprd", || {
        let module = folder("daprd");
        toolchain::go_modules(&module)?;
        for check in [["vet", "./..."].as_slice(), &["test", "-count=1", "./..."]] {
            let mut go = Command::new("go");
            // With the packages that daprd itself is built from.
            go.args(check).current_dir(&module).env("CGO_ENABLED", "0");
            child::run(&mut go).expect_success(&check.join(" "));
        }
        Ok(())
    });
}

/// Runs a test with mynah, which serves a socket, and with a daprd that has components of this type.
fn with_daprd(
    socket: &'static str,
    components: &[Component<'_>],
    test: impl AsyncFnOnce(&Sockets, Sidecar, Target),
) {
    toolchain::suite("daprd", || {
        let sockets = Sockets::new(socket);
        let mynah = sockets.serve();
        let program = Program::Daprd(toolchain::daprd_with_adaptor()?);
        Runtime::new().unwrap().block_on(async {
            let daprd = sockets.start(&program, components).await.expect("daprd starts");
            test(&sockets, mynah, daprd).await;
        });
        Ok(())
    });
}

/// A folder in which daprd finds a socket of mynah.
pub(crate) struct Sockets {
    folder: PathBuf,
    name: &'static str,
    /// Whether daprd starts without components that it cannot initialize.
    ignore_errors: bool,
    /// The resiliency policies of daprd.
    resiliency: Option<Value>,
}

impl Sockets {
    pub(crate) fn new(name: &'static str) -> Self {
        let folder = scratch("adaptor").join("sockets");
        Self { folder, name, ignore_errors: false, resiliency: None }
    }

    fn environment(&self) -> (&'static str, String) {
        ("DAPR_COMPONENTS_SOCKETS_FOLDER", self.folder.to_str().unwrap().to_owned())
    }

    /// Starts mynah with the socket. It waits for calls in flight without limit when it is stopped.
    pub(crate) fn serve(&self) -> Sidecar {
        let (name, value) = self.environment();
        Sidecar::start_in(
            &[(name, &value)],
            &["--component-socket", self.name, "--dapr-graceful-shutdown-seconds=3600"],
        )
    }

    /// Starts daprd with components whose type has the name of the socket.
    pub(crate) async fn start(
        &self,
        daprd: &Program,
        components: &[Component<'_>],
    ) -> Result<Target, Exit> {
        let resources = scratch("adaptor-resources");
        for (name, properties) in components {
            let spec = json!({
                "type": format!("conversation.{}", self.name),
                "version": "v1",
                "ignoreErrors": self.ignore_errors,
                "metadata": properties.iter().map(|(k, v)| item(k, v)).collect::<Vec<_>>(),
            });
            resource(&resources, name, "Component", &spec);
        }
        if let Some(policies) = &self.resiliency {
            resource(&resources, "resiliency", "Resiliency", policies);
        }
        let environment = vec![self.environment()];
        let setup = Setup { resources: vec![resources], environment, ..Setup::default() };
        daprd.start(&setup).await
    }
}

/// Calls a component over HTTP. Returns the status and the body.
async fn converse(address: SocketAddr, component: &str, request: &Value) -> (u16, Value) {
    let url = format!("http://{address}/v1.0-alpha2/conversation/{component}/converse");
    let response = direct_client().post(url).body(request.to_string()).send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_str(&response.text().await.unwrap()).unwrap())
}

/// Returns the log of a daprd that exits. It can be healthy for a moment before.
async fn exit_log(start: impl Future<Output = Result<Target, Exit>>) -> String {
    match start.await {
        Ok(mut daprd) => daprd.wait().await.log,
        Err(exit) => exit.log,
    }
}
