//! Tests in a network namespace, from which nothing else can be reached.

use std::process::Command;

use mynah_needs::needs;

use super::Recording;
use crate::{
    interop::{child, examples::python_example, prepare, toolchain},
    support::mynah,
};

/// Runs a command with a loopback interface, and without a route to any other address.
const ISOLATED: &str =
    r#"ip link set lo up && test -z "$(ip route)$(ip -6 route show default)" && exec "$0" "$@""#;

#[needs("python", "network namespaces")]
#[test]
fn python_sdk_prints_the_same_without_a_network() {
    toolchain::suite("python", || {
        let mut client = python_example()?;
        let recording = Recording::of(&mut client);
        let mut replay = mynah();
        replay.args(["run", "--resources-path"]).arg(&recording.components);
        replay.arg("--replay").arg(&recording.folder).arg("--");
        replay.arg(client.get_program()).args(client.get_args());
        let mut isolated = isolated(&replay);
        prepare(&mut isolated);
        isolated.current_dir(client.get_current_dir().unwrap());
        let printed = child::run(&mut isolated).expect_success("the client");
        assert_eq!(printed, recording.transcript);
        Ok(())
    });
}

/// Returns a run of a command in a network namespace of its own.
fn isolated(command: &Command) -> Command {
    let mut isolated = Command::new("unshare");
    isolated.args(["--map-root-user", "--net", "sh", "-c", ISOLATED]);
    isolated.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => isolated.env(name, value),
            None => isolated.env_remove(name),
        };
    }
    isolated
}
