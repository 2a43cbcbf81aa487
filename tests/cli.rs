//! Tests of the program's output and exit codes.

mod check;
mod command_help;
mod completions;
mod control_characters;
mod converse;
mod daprd;
mod explain;
mod help;
mod import;
mod man;
mod run;
mod schema;
mod simulate;
#[cfg(target_os = "linux")]
mod slow_files;
mod start;
mod stop;
mod usage;

use std::{fs, path::Path};

use crate::support::{
    process::{Output, run},
    scratch,
};

/// Formats the output and the exit code of a command for a snapshot.
///
/// Redacts the version. Removes trailing spaces, because editors remove them from this file.
fn report(output: &Output) -> String {
    let Output { code, stdout, stderr } = output;
    let stdout = stdout.replace(concat!("mynah ", env!("CARGO_PKG_VERSION")), "mynah [version]");
    let mut text = stdout.trim_end().to_owned();
    if !stderr.is_empty() {
        text = format!("{text}\n-- stderr\n{stderr}").trim().to_owned();
    }
    match code {
        Some(code) => text += &format!("\n-- exit {code}"),
        None => text += "\n-- ended by a signal",
    }
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn run_report(args: &[&str]) -> String {
    report(&run(args))
}

/// Replaces the path of a folder with `[folder]`.
fn redact_folder(text: &str, folder: &Path) -> String {
    text.replace(folder.to_str().unwrap(), "[folder]")
}

/// Replaces the ports in loopback addresses with `[port]`.
fn redact_ports(text: &str) -> String {
    let mut pieces = text.split("127.0.0.1:");
    let mut redacted = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        redacted += "127.0.0.1:[port]";
        redacted += piece.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    redacted
}

/// Creates a folder with these files.
fn write_folder(files: &[(&str, &str)]) -> std::path::PathBuf {
    let folder = scratch("resources");
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    folder
}

const VALID: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: parrot
spec:
  type: conversation.echo
  version: v1
";

/// Two components with three problems.
const INVALID: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: broken
spec:
  type: conversation.ecko
  version: v1
---
apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: slow
spec:
  type: conversation.echo
  version: v7
  metadata:
  - name: chunkDelay
    value: fast
";

/// A component with an ignored key.
const WITH_WARNING: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: odd
spec:
  type: conversation.echo
  version: v1
  metadata:
  - name: key
    value: secret
";

/// A component that mynah skips.
const STATE_STORE: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: store
spec:
  type: state.redis
  version: v1
";
