//! Tests of mynah in front of an unmodified daprd.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{
    child, folder, point_at,
    toolchain::{self, Missing},
};
use crate::{
    parity::target::{Program, Setup},
    support::{Sidecar, ports::ReservedPort, scratch},
};

/// Writes a resource into a folder.
fn write(folder: &Path, name: &str, kind: &str, spec: &Value) -> PathBuf {
    let file = folder.join(format!("{name}.yaml"));
    let resource = json!({
        "apiVersion": "dapr.io/v1alpha1",
        "kind": kind,
        "metadata": { "name": name },
        "spec": spec,
    });
    fs::write(&file, resource.to_string()).unwrap();
    file
}

/// Returns a folder with components that both mynah and daprd load.
fn resources() -> PathBuf {
    let folder = scratch("in-front-of-daprd");
    let chains = json!([{ "name": "chains", "value": "true" }]);
    let components = [
        ("store", "state.in-memory", json!([])),
        ("bus", "pubsub.in-memory", json!([])),
        ("environment", "secretstores.local.env", json!([])),
        ("llm", "conversation.echo", chains),
    ];
    for (name, kind, metadata) in components {
        let spec = json!({ "type": kind, "version": "v1", "metadata": metadata });
        write(&folder, name, "Component", &spec);
    }
    folder
}

/// Returns a configuration with which daprd finds its own application.
fn configuration() -> PathBuf {
    let resolver = json!({ "format": "{appid}.local" });
    let spec = json!({
        "nameResolution": { "component": "nameformat", "version": "v1", "configuration": resolver },
    });
    write(&scratch("daprd-configuration"), "configuration", "Configuration", &spec)
}

#[test]
fn python_sdk_uses_daprd_through_mynah() {
    toolchain::suite("daprd", || {
        let daprd = Program::Daprd(toolchain::daprd()?);
        let requirements = folder("tests/interop/python/requirements.txt");
        let python = toolchain::python("python", &requirements)?;
        Runtime::new().unwrap().block_on(run(&daprd, &python))
    });
}

async fn run(daprd: &Program, python: &Path) -> Result<(), Missing> {
    let resources = resources();
    let app = ReservedPort::new();
    let setup = Setup {
        resources: vec![resources.clone()],
        flags: vec![
            format!("--config={}", configuration().display()),
            format!("--app-port={}", app.number),
        ],
        environment: vec![("SECRET_WORD", "parrot".to_owned())],
        ..Setup::default()
    };
    let daprd = daprd.start(&setup).await.unwrap();
    let [grpc, http] = [daprd.grpc, daprd.http].map(|address| address.to_string());
    let resources = resources.to_str().unwrap();
    let flags = ["--daprd", &grpc, "--daprd-http", &http, "--resources-path", resources];
    let mynah = Sidecar::start_with(&flags);
    let mut tests = Command::new(python);
    tests.args(["-B", "-W", "error", "-m", "unittest", "--verbose"]);
    tests.current_dir(folder("tests/interop/in_front")).env("APP_PORT", app.number.to_string());
    point_at(&mut tests, &mynah);
    child::run(&mut tests).expect_success("in front of daprd");
    Ok(())
}
