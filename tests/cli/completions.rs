//! Tests of `mynah completions`.

use std::{fs, process::Command};

use insta::assert_snapshot;
use mynah_needs::needs;

use super::run_report;
use crate::{
    interop::child,
    support::{process::run, scratch},
};

/// Completes the last word as bash does, and prints what it offers.
const COMPLETE: &str = r#"
    source "$0"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _mynah mynah "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
    echo "${COMPREPLY[@]}"
"#;

#[needs("bash")]
#[test]
fn completes_commands_flags_and_values_in_bash() {
    let script = scratch("completions").join("mynah.bash");
    fs::write(&script, run(&["completions", "bash"]).stdout).unwrap();
    let complete = |words: &[&str]| {
        let mut bash = Command::new("bash");
        bash.args(["-c", COMPLETE]).arg(&script).arg("mynah").args(words);
        child::run(&mut bash).expect_success("bash").trim_end().to_owned()
    };
    assert_eq!(complete(&["ver"]), "verify");
    assert_eq!(complete(&["serve", "--log-"]), "--log-level --log-as-json");
    assert_eq!(complete(&["--stand-in", ""]), "echo scripted");
    assert_eq!(complete(&["completions", "z"]), "zsh");
}

#[test]
fn completes_only_what_the_help_lists() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completions", shell]).stdout;
        assert!(script.contains("strict-history"), "{shell}");
        for hidden in ["placement-host-address", "__supervise", "./daprd"] {
            assert!(!script.contains(hidden), "{shell}: {hidden}");
        }
    }
}

#[test]
fn rejects_unknown_shell() {
    assert_snapshot!(run_report(&["completions", "nope"]), @"
    -- stderr
    error: invalid value 'nope' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

    For more information, try '--help'.
    -- exit 64
    ");
}
