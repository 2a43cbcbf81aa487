//! Tests of daprd's building blocks through mynah.

use std::process::Command;

use tokio::runtime::Runtime;

use super::InFront;
use crate::{
    interop::{folder, toolchain},
    parity::target::Program,
    support::ports::ReservedPort,
};

#[test]
fn python_sdk_uses_daprd_through_mynah() {
    toolchain::suite("daprd", || {
        let daprd = Program::Daprd(toolchain::daprd()?);
        let requirements = folder("tests/interop/python/requirements.txt");
        let python = toolchain::python("python", &requirements)?;
        let app = ReservedPort::new();
        let flags = [format!("--app-port={}", app.number)];
        let sidecar = Runtime::new().unwrap().block_on(InFront::start(&daprd, &flags));
        let mut python = Command::new(python);
        sidecar.run_python(python.env("APP_PORT", app.number.to_string()), "test_building_blocks");
        Ok(())
    });
}
