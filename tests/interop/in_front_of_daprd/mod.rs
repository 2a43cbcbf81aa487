//! Tests of mynah in front of an unmodified daprd.

mod building_blocks;
mod command_line;
mod samples;
mod workflows;

use std::{path::PathBuf, process::Command};

use serde_json::{Value, json};

use super::{
    child,
    manifest::{self, item},
    point_at,
};
use crate::{
    parity::target::{Program, Setup, Target},
    support::{Sidecar, scratch},
};

/// An application's sidecar: mynah in front of daprd. Both load the same components.
struct InFront {
    mynah: Sidecar,
    daprd: Target,
    program: Program,
    setup: Setup,
}

impl InFront {
    /// Starts both. `flags` are more flags of daprd.
    async fn start(program: Program, flags: &[String]) -> Self {
        let resources = resources();
        let configuration = format!("--config={}", configuration().display());
        let setup = Setup {
            resources: vec![resources.clone()],
            flags: [&[configuration], flags].concat(),
            environment: vec![("SECRET_WORD", "parrot".to_owned())],
            ..Setup::default()
        };
        let daprd = program.start(&setup).await.unwrap();
        let [grpc, http] = [daprd.grpc, daprd.http].map(|address| address.to_string());
        let resources = resources.to_str().unwrap();
        let flags = ["--daprd", &grpc, "--daprd-http", &http, "--resources-path", resources];
        Self { mynah: Sidecar::start_with(&flags), daprd, program, setup }
    }

    /// Starts daprd again on the same ports after it was killed.
    async fn restart_daprd(&mut self) {
        self.daprd.restart(&self.program, &self.setup).await.unwrap();
    }

    /// Runs the tests in a Python module against the sidecar.
    fn run_python(&self, tests: &mut Command, module: &str) {
        tests.args(["-B", "-W", "error", "-m", "unittest", "--verbose", module]);
        tests.current_dir(super::folder("tests/interop/in_front"));
        point_at(tests, &self.mynah);
        child::run(tests).expect_success(module);
    }

    /// Runs the example of a durable agent. The Python helper opens a session of the sidecar.
    fn run_example(&self, tests: &mut Command) {
        tests.args(["-B", "-m", "pytest", "-p", "no:cacheprovider", "durable"]);
        tests.current_dir(super::folder("examples/testing/python"));
        point_at(tests, &self.mynah);
        tests.env("MYNAH_ENDPOINT", format!("http://{}/mynah/v1", self.mynah.http));
        child::run(tests).expect_success("the example of a durable agent");
    }
}

/// Returns a folder with components that both mynah and daprd load.
fn resources() -> PathBuf {
    let folder = scratch("in-front-of-daprd");
    let components: [(&str, &str, &[Value]); 4] = [
        ("store", "state.in-memory", &[item("actorStateStore", "true")]),
        ("bus", "pubsub.in-memory", &[]),
        ("environment", "secretstores.local.env", &[]),
        ("echo", "conversation.echo", &[item("chains", "true")]),
    ];
    for (name, kind, metadata) in components {
        manifest::component(&folder, name, kind, metadata);
    }
    folder
}

/// Returns a configuration with which daprd finds its own application.
fn configuration() -> PathBuf {
    let resolver = json!({ "format": "{appid}.local" });
    let spec = json!({
        "nameResolution": { "component": "nameformat", "version": "v1", "configuration": resolver },
    });
    manifest::resource(&scratch("daprd-configuration"), "configuration", "Configuration", &spec)
}
