//! Ignores tests that need what this machine does not have. The test harness has no way to ignore a
//! test when it runs, so this is decided when the tests are compiled.

mod selection;

use std::{
    net::{TcpListener, UdpSocket},
    path::Path,
    process::Command,
};

use proc_macro::{TokenStream, TokenTree};

use self::selection::{SUITES, Selection};

/// The attribute of the test harness. Only this file uses it.
const IGNORE: &str = "ignore";

/// Ignores a test unless everything that it needs is there:
///
/// - a client suite, such as `"python"`, which `MYNAH_INTEROP` selects
/// - `"MYNAH_SOAK_SECONDS"`, the variable
/// - `"IPv6"`
/// - `"network"`: an address of this machine on a network
/// - `"network namespaces"`: the right to run programs in one of their own
/// - a program, such as `"curl"`, in `PATH`. With `MYNAH_INTEROP=1`, a test fails without its programs.
#[proc_macro_attribute]
pub fn needs(needs: TokenStream, test: TokenStream) -> TokenStream {
    match ignored(&names(needs)) {
        Ok(None) => test,
        Ok(Some(reason)) => {
            let ignore = attribute(&format!("#[{IGNORE} = {reason:?}]"));
            [ignore, test].into_iter().collect()
        }
        Err(error) => attribute(&format!("compile_error!({error:?});")),
    }
}

/// Returns the string literals in the arguments. Those that another macro passes on are in groups.
fn names(arguments: TokenStream) -> Vec<String> {
    let name = |token| match token {
        TokenTree::Literal(literal) => vec![literal.to_string().trim_matches('"').to_owned()],
        TokenTree::Group(group) => names(group.stream()),
        TokenTree::Ident(_) | TokenTree::Punct(_) => Vec::new(),
    };
    arguments.into_iter().flat_map(name).collect()
}

fn attribute(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

/// Returns the reason why a test with these needs is ignored.
fn ignored(needs: &[String]) -> Result<Option<String>, String> {
    let selection = Selection::parse(&variable("MYNAH_INTEROP"))?;
    let (suites, others): (Vec<&str>, Vec<&str>) =
        needs.iter().map(String::as_str).partition(|need| SUITES.contains(need));
    let suites: Vec<_> = suites.into_iter().filter(|suite| !selection.includes(suite)).collect();
    let missing: Vec<_> = others.into_iter().filter(|need| !exists(need, &selection)).collect();
    Ok(match (suites.as_slice(), missing.as_slice()) {
        ([], []) => None,
        ([], missing) => Some(format!("needs {}", missing.join(", "))),
        (suites, _) => Some(format!("needs MYNAH_INTEROP={}", suites.join(","))),
    })
}

fn exists(need: &str, selection: &Selection) -> bool {
    match need {
        name if name.starts_with("MYNAH_") => !variable(name).is_empty(),
        "IPv6" => TcpListener::bind("[::1]:0").is_ok(),
        "network" => has_network(),
        "network namespaces" => has_network_namespaces(),
        program => *selection == Selection::All || is_installed(program),
    }
}

/// Connecting a UDP socket sends nothing: it only selects the interface.
fn has_network() -> bool {
    let address = UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    address.is_ok_and(|address| !address.ip().is_loopback())
}

fn has_network_namespaces() -> bool {
    let own = ["--map-root-user", "--net", "ip", "link", "set", "lo", "up"];
    Command::new("unshare").args(own).output().is_ok_and(|output| output.status.success())
}

fn is_installed(program: &str) -> bool {
    std::env::split_paths(&variable("PATH"))
        .any(|folder| Path::new(&folder).join(program).is_file())
}

#[expect(clippy::disallowed_methods, reason = "the variables are for the tests")]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}
