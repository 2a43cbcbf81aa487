//! Tests of the socket file.

use std::{
    fs,
    os::unix::{fs::PermissionsExt, net::UnixListener},
    path::Path,
    process::Command,
};

use rustix::process::Signal;

use super::Pluggable;
use crate::{
    interop::child,
    support::{mynah, scratch},
};

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = mynah();
    command.args(["--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0"]).args(args);
    command.env("DAPR_COMPONENTS_SOCKETS_FOLDER", folder);
    command
}

/// Returns why mynah does not start.
fn refusal(folder: &Path, args: &[&str]) -> String {
    let output = child::run(&mut command(folder, args));
    assert!(!output.success);
    output.stderr.replace(folder.to_str().unwrap(), "[folder]")
}

#[tokio::test]
async fn only_the_owner_may_connect() {
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&Pluggable::start().socket), 0o600);
    let shared = Pluggable::start_with(&["--component-socket-mode=660"]);
    assert_eq!(mode(&shared.socket), 0o660);
}

#[tokio::test]
async fn the_socket_is_removed_at_the_end() {
    let pluggable = Pluggable::start();
    pluggable.sidecar.signal(Signal::TERM);
    while pluggable.socket.exists() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_dead_socket_is_replaced_and_a_live_one_is_not() {
    let folder = scratch("dead");
    drop(UnixListener::bind(folder.join("test.sock")).unwrap());
    let environment = [("DAPR_COMPONENTS_SOCKETS_FOLDER", folder.to_str().unwrap())];
    let flags = ["--component-socket=test"];
    let sidecar = crate::support::Sidecar::start_in(&environment, &flags);
    super::connect(&folder.join("test.sock")).await;
    insta::assert_snapshot!(refusal(&folder, &flags), @"mynah: cannot listen on unix://[folder]/test.sock: the socket is in use; choose another folder with DAPR_COMPONENTS_SOCKETS_FOLDER");
    drop(sidecar);
    fs::write(folder.join("file.sock"), "").unwrap();
    insta::assert_snapshot!(refusal(&folder, &["--component-socket=file"]), @"mynah: cannot listen on unix://[folder]/file.sock: the file exists and is not a socket; choose another folder with DAPR_COMPONENTS_SOCKETS_FOLDER");
}

/// A server whose queue is full does not accept connections, but it is alive.
#[test]
fn neither_a_lock_nor_a_busy_server_hangs_the_start() {
    use socket2::{Domain, SockAddr, Socket, Type};
    let folder = scratch("busy");
    let path = folder.join("test.sock");
    let address = SockAddr::unix(&path).unwrap();
    let new = || Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
    let server = new();
    server.bind(&address).unwrap();
    server.listen(0).unwrap();
    let connect = || {
        let client = new();
        client.set_nonblocking(true).unwrap();
        client.connect(&address).map(|()| client)
    };
    let _clients: Vec<_> = std::iter::from_fn(|| connect().ok()).collect();
    let flags = ["--component-socket=test"];
    insta::assert_snapshot!(refusal(&folder, &flags), @"mynah: cannot listen on unix://[folder]/test.sock: the socket is in use; choose another folder with DAPR_COMPONENTS_SOCKETS_FOLDER");
    let lock = fs::File::open(&folder).unwrap();
    lock.lock().unwrap();
    insta::assert_snapshot!(refusal(&folder, &flags), @"mynah: cannot listen on unix://[folder]/test.sock: another process has locked the folder; choose another folder with DAPR_COMPONENTS_SOCKETS_FOLDER");
}

#[test]
fn invalid_names_modes_and_paths_are_refused() {
    let folder = scratch("names");
    let refusals = [
        refusal(&folder, &["--component-socket=a/b"]),
        refusal(&folder, &["--component-socket="]),
        refusal(&folder, &["--component-socket=a", "--component-socket-mode=999"]),
        refusal(&folder.join("x".repeat(100)), &["--component-socket=a"]),
    ];
    insta::assert_snapshot!(refusals.concat().replace(&"x".repeat(100), "[long]"), @r#"
    mynah: invalid value "a/b" for --component-socket: expected a name of letters, digits, '-' and '_'
    mynah: invalid value "" for --component-socket: expected a name of letters, digits, '-' and '_'
    mynah: invalid value "999" for --component-socket-mode: expected an octal mode, such as 600
    mynah: cannot listen on unix://[folder]/a.sock: the path is too long for a socket; choose another folder with DAPR_COMPONENTS_SOCKETS_FOLDER
    "#);
}
