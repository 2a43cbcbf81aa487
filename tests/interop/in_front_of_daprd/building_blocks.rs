//! Tests of daprd's building blocks through mynah.

use std::{path::Path, process::Command};

use mynah_needs::needs;
use tokio::runtime::Runtime;

use super::InFront;
use crate::{
    interop::{child, clients, folder, point_at, toolchain},
    parity::target::Program,
    support::{
        ports::ReservedPort,
        process::{Process, wait_until},
        scratch,
    },
};

#[needs("daprd")]
#[test]
fn python_sdk_uses_daprd_through_mynah() {
    toolchain::suite("daprd", || {
        let daprd = Program::Daprd(toolchain::daprd()?);
        let requirements = folder("tests/interop/python/requirements.txt");
        let mut python = Command::new(toolchain::python("python", &requirements)?);
        let app = ReservedPort::new();
        let sidecar = with_app(daprd, &app, &mut python);
        sidecar.run_python(&mut python, "test_building_blocks");
        Ok(())
    });
}

#[needs("daprd")]
#[test]
fn go_sdk_uses_daprd_through_mynah() {
    toolchain::suite("daprd", || {
        let daprd = Program::Daprd(toolchain::daprd()?);
        let mut go = go_test("TestBuildingBlocks")?;
        let app = ReservedPort::new();
        let sidecar = with_app(daprd, &app, &mut go);
        point_at(&mut go, &sidecar.mynah);
        child::run(&mut go).expect_success("the Go tests");
        Ok(())
    });
}

#[needs("daprd", "python", "go", "dapr-agents", "grpcurl")]
#[test]
fn clients_work_with_mynah_in_front_of_daprd() {
    toolchain::suite("daprd", || {
        let daprd = Program::Daprd(toolchain::daprd()?);
        Runtime::new().unwrap().block_on(async {
            let InFront { mynah, .. } = &InFront::start(daprd, &[]).await;
            clients::work_with(mynah.grpc, mynah.http).await;
        });
        Ok(())
    });
}

#[needs("daprd")]
#[test]
fn subscriptions_end_when_daprd_is_killed_and_work_when_it_is_back() {
    toolchain::suite("daprd", || {
        let daprd = Program::Daprd(toolchain::daprd()?);
        let mut go = go_test("TestSubscriptionAcrossARestartOfDaprd")?;
        Runtime::new().unwrap().block_on(async {
            let mut sidecar = InFront::start(daprd, &[]).await;
            let signals = scratch("signals");
            point_at(go.env("SIGNALS", &signals), &sidecar.mynah);
            let go = Process::start(&mut go);
            signalled(&signals.join("subscribed")).await;
            sidecar.daprd.kill();
            signalled(&signals.join("lost")).await;
            sidecar.restart_daprd().await;
            let output = go.wait();
            assert_eq!(output.code, Some(0), "{output:?}");
        });
        Ok(())
    });
}

/// Starts a sidecar whose application serves a port. The tests get it in the variable `APP_PORT`.
fn with_app(daprd: Program, app: &ReservedPort, tests: &mut Command) -> InFront {
    tests.env("APP_PORT", app.number.to_string());
    let flags = [format!("--app-port={}", app.number)];
    Runtime::new().unwrap().block_on(InFront::start(daprd, &flags))
}

fn go_test(name: &str) -> Result<Command, toolchain::Missing> {
    let home = folder("tests/interop/go");
    toolchain::go_modules(&home)?;
    // Built in advance, so that only the tests themselves are timed.
    let program = scratch("go-test").join("in-front");
    let mut build = Command::new("go");
    build.args(["test", "-c", "-tags=infront", "-o"]).arg(&program).arg(".").current_dir(home);
    child::run(&mut build).expect_success("go test -c");
    let mut tests = Command::new(program);
    tests.args(["-test.v", "-test.run", name]);
    Ok(tests)
}

/// Waits until the tests have written a file.
async fn signalled(file: &Path) {
    let exists = async || file.exists().then_some(());
    wait_until(exists, "the tests did not get this far").await;
}
