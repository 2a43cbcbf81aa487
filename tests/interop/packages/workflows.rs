//! Checks the workflows and runs the action.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use mynah_needs::needs;
use rustix::process::{Pid, Signal, kill_process};

use super::{clean_command, packages};
use crate::{
    interop::{child, folder, toolchain},
    support::{process::run, scratch},
};

#[needs("packages")]
#[test]
fn the_workflows_are_valid() {
    toolchain::suite("packages", || {
        let mut check = Command::new(toolchain::actionlint()?);
        let workflows = ["ci.yml", "release.yml"];
        check.args(workflows.map(|name| folder(".github/workflows").join(name)));
        child::run(check.current_dir(folder(""))).expect_success("actionlint");
        Ok(())
    });
}

/// A job of GitHub Actions that runs the action. mynah is stopped on drop, as at the end of a job.
struct Job(PathBuf);

impl Job {
    /// Runs the action with the packages instead of a registry's.
    fn run(args: &str) -> (Self, child::Output) {
        let home = scratch("job");
        let mut action = clean_command(folder("packaging/action").to_str().unwrap(), &home);
        for name in ["GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH"] {
            action.env(name, home.join(name));
        }
        action.env("RUNNER_TEMP", &home).env("MYNAH_ARGS", args);
        action.env("MYNAH_VERSION", env!("CARGO_PKG_VERSION"));
        action.env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", packages());
        let output = child::run(&mut action);
        (Self(home), output)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_default()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if let Some(pid) = self.read("mynah/pid").trim().parse().ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
    }
}

#[needs("packages")]
#[test]
fn the_action_starts_mynah_and_exports_its_addresses() {
    let (job, output) = Job::run("--app-id=shop --stand-in=echo");
    output.expect_success("packaging/action");
    let exported = job.read("GITHUB_ENV");
    let variable = |name: &str| {
        let value = exported.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        value.unwrap_or_else(|| panic!("{name}: {exported}")).to_owned()
    };
    let address = format!("127.0.0.1:{}", variable("DAPR_GRPC_PORT"));
    assert_eq!(run(&["converse", "--address", &address, "Hello!"]).stdout, "Hello!\n");
    let journal = run(&["journal", "--endpoint", &variable("MYNAH_ENDPOINT")]).stdout;
    assert_eq!(journal.lines().count(), 1);
    assert!(variable("DAPR_HTTP_ENDPOINT").ends_with(&variable("DAPR_HTTP_PORT")));
    let outputs = job.read("GITHUB_OUTPUT");
    assert!(outputs.contains(&format!("grpc-port={}", variable("DAPR_GRPC_PORT"))), "{outputs}");
    assert!(Path::new(job.read("GITHUB_PATH").trim_end()).join("mynah").exists());
}

#[needs("packages")]
#[test]
fn the_action_shows_why_mynah_does_not_start() {
    let (_job, output) = Job::run("--resources-path=missing");
    assert!(!output.success);
    assert!(output.stdout.contains("missing: cannot be read"), "{output:?}");
    assert!(output.stdout.ends_with("::error::mynah did not start\n"), "{output:?}");
}
