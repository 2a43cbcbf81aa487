//! Tests of workflows that run on daprd, whose worker is connected through mynah.

use std::{path::Path, process::Command};

use mynah_needs::needs;
use tokio::runtime::Runtime;

use super::InFront;
use crate::{
    interop::{folder, toolchain},
    parity::target::Program,
    support::{
        http::direct_client,
        ports::ReservedPort,
        process::{Process, wait_until},
        scratch,
    },
};

#[needs("daprd")]
#[test]
fn workflows_and_durable_agents_run_through_mynah() {
    toolchain::suite("daprd", || {
        let daprd = Program::Daprd(toolchain::daprd()?);
        let programs = toolchain::control_plane()?;
        let requirements = folder("tests/interop/dapr_agents/requirements.txt");
        let python = toolchain::python("dapr-agents", &requirements)?;
        let with_helper = toolchain::python_with_helper("dapr_agents")?;
        Runtime::new().unwrap().block_on(async {
            let placement = Service::start(&programs, "placement", &[]).await;
            let data = scratch("scheduler");
            let data = format!("--etcd-data-dir={}", data.display());
            let scheduler = Service::start(&programs, "scheduler", &[data]).await;
            let flags = [placement.flag(), scheduler.flag()];
            let in_front = InFront::start(daprd, &flags).await;
            in_front.run_python(&mut Command::new(python), "test_workflows");
            in_front.run_example(&mut Command::new(with_helper));
        });
        Ok(())
    });
}

/// A service of Dapr's control plane.
struct Service {
    name: &'static str,
    port: ReservedPort,
    _process: Process,
}

impl Service {
    /// Starts a service and waits until it is healthy.
    async fn start(programs: &Path, name: &'static str, flags: &[String]) -> Self {
        let ports = [(); 3].map(|()| ReservedPort::new());
        let mut command = Command::new(programs.join(name));
        for (kind, port) in ["port", "healthz-port", "metrics-port"].iter().zip(&ports) {
            command.arg(format!("--{kind}={}", port.number));
        }
        let process = Process::start(command.arg("--listen-address=127.0.0.1").args(flags));
        let [port, health, _] = ports;
        let url = format!("http://127.0.0.1:{}/healthz", health.number);
        let client = direct_client();
        let healthy = async || {
            let response = client.get(&url).send().await;
            response.is_ok_and(|response| response.status() == 200).then_some(())
        };
        wait_until(healthy, name).await;
        Self { name, port, _process: process }
    }

    /// Returns the flag by which daprd finds the service.
    fn flag(&self) -> String {
        format!("--{}-host-address=127.0.0.1:{}", self.name, self.port.number)
    }
}
