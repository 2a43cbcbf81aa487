//! Tests of a simulation with a real agent, and of the simulation for Kubernetes.

use std::{
    fs::{self, File},
    path::Path,
    process::{Child, Command},
};

use insta::assert_snapshot;
use mynah_needs::needs;

use super::{examples::prints, folder, point_at, toolchain};
use crate::{
    simulate::play::{lines, results},
    support::{Sidecar, mynah, process::wait_until, scratch},
};

const HYBRID: &str = "examples/simulate/hybrid";

/// The agent of the example, which ends with the value.
struct Agent {
    process: Child,
    url: String,
}

impl Agent {
    async fn start(python: &Path, sidecar: &Sidecar) -> Self {
        let output = scratch("agent").join("stdout");
        let mut agent = Command::new(python);
        point_at(&mut agent, sidecar);
        agent.args(["-B", "agent.py"]).current_dir(folder(HYBRID)).env("AGENT_PORT", "0");
        let process = agent.stdout(File::create(&output).unwrap()).spawn().unwrap();
        let url = async || {
            let text = fs::read_to_string(&output).unwrap();
            text.strip_suffix('\n').map(str::to_owned)
        };
        let url = wait_until(url, "the agent does not listen").await;
        Self { process, url }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[needs("dapr-agents")]
#[test]
fn hybrid_example_prints_its_readme() {
    toolchain::suite("dapr-agents", || {
        let requirements = folder("tests/interop/dapr_agents/requirements.txt");
        let locked = fs::read_to_string(&requirements).unwrap();
        let required = fs::read_to_string(folder(HYBRID).join("requirements.txt")).unwrap();
        assert!(required.lines().all(|one| locked.lines().any(|other| other == one)));
        let python = toolchain::python("dapr-agents", &requirements)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let sidecar = Sidecar::start();
        let agent = runtime.unwrap().block_on(Agent::start(&python, &sidecar));
        plays_example(&agent.url);
        Ok(())
    });
}

/// Plays the simulation of the example with the agent at `url`.
fn plays_example(url: &str) {
    let folder = scratch("hybrid");
    let simulation = fs::read_to_string(self::folder(HYBRID).join("hybrid.yaml")).unwrap();
    let simulation = simulation.replace("http://127.0.0.1:8001/chat", url);
    fs::write(folder.join("hybrid.yaml"), simulation).unwrap();
    let mut simulate = mynah();
    simulate.args(["simulate", "hybrid.yaml", "--out", "out"]).current_dir(&folder);
    prints(&mut simulate, &self::folder(HYBRID).join("README.md"));
    let [refund, question] = &*results(&folder) else { panic!("expected two conversations") };
    assert_snapshot!(lines(refund), @"
    customer: Hello, order 1001 never arrived.
    agent: Order 1001 is lost.
    customer: Then please refund order 1001.
    agent: Order 1001 is refunded.
    customer: Thanks, goodbye.
    -- pattern (refunded)
    ");
    assert_snapshot!(lines(question), @"
    customer: Where is order 1002?
    agent: Order 1002 is shipped.
    customer: Thanks, goodbye.
    -- pattern (informed)
    ");
}
