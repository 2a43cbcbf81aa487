//! Every text that the program says to people, word for word, and its exit statuses.

mod check;
mod converse;
mod daprd;
mod help;
mod run;
mod schema;
mod start;
mod stop;
mod usage;

use std::{fs, path::Path};

use crate::support::{
    process::{Output, run},
    scratch,
};

/// What a command left behind, to be compared with what it ought to.
///
/// The version is left out, and blanks at the ends of lines, which no editor keeps.
fn report(ended: &Output) -> String {
    let Output { code, stdout, stderr } = ended;
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

fn ran(args: &[&str]) -> String {
    report(&run(args))
}

/// Puts `[folder]` in place of a folder's path.
fn without_folder(text: &str, folder: &Path) -> String {
    text.replace(folder.to_str().unwrap(), "[folder]")
}

/// Puts `[port]` in place of the ports of loopback addresses.
fn without_ports(text: &str) -> String {
    let mut pieces = text.split("127.0.0.1:");
    let mut normal = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        normal += "127.0.0.1:[port]";
        normal += piece.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    normal
}

/// A folder of these files.
fn folder(files: &[(&str, &str)]) -> std::path::PathBuf {
    let folder = scratch("resources");
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    folder
}

const GOOD: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: parrot
spec:
  type: conversation.echo
  version: v1
";

/// Three things are wrong with it.
const BAD: &str = "\
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

/// Served, but with a remark.
const ODD: &str = "\
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

/// Nothing that mynah would serve.
const OTHER: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: store
spec:
  type: state.redis
  version: v1
";
