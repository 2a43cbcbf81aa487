//! Tests of how `mynah converse` finds the sidecar and the component, and of failed calls.

use insta::{allow_duplicates, assert_snapshot};
use tokio::net::{TcpStream, UnixListener};

use super::{REPEAT_ALL, converse, run, run_converse};
use crate::{
    cli::{STATE_STORE, run_report},
    support::{Sidecar, mynah, ports::ReservedPort, process::occupied_port, scratch},
};

#[test]
fn unknown_component() {
    let sidecar = Sidecar::start();
    allow_duplicates! {
        for flags in [&["Hello!", "--component=nope"][..], &["Hello!", "--component=nope", "--stream"]]
        {
            assert_snapshot!(run_converse(&sidecar, flags), @"
            -- stderr
            mynah: the call to 127.0.0.1:[port] failed with InvalidArgument: failed finding conversation component nope
            -- exit 1
            ");
        }
    }
}

#[test]
fn requires_component_if_there_are_several() {
    let two = format!("{REPEAT_ALL}---\n{}", REPEAT_ALL.replace("name: repeat-all", "name: other"));
    let sidecar = Sidecar::with_components(&two);
    assert_snapshot!(run_converse(&sidecar, &["Hello!"]), @"
    -- stderr
    mynah: the sidecar at 127.0.0.1:[port] has several conversation components; choose one of: other, repeat-all (with --component)
    -- exit 1
    ");
    assert_snapshot!(run_converse(&sidecar, &["Hello!", "--component", "other"]), @"
    Hello!
    -- exit 0
    ");
}

#[test]
fn sidecar_without_conversation_component() {
    assert_snapshot!(run_converse(&Sidecar::with_components(STATE_STORE), &["Hello!"]), @"
    -- stderr
    mynah: the sidecar at 127.0.0.1:[port] has no conversation component
    -- exit 1
    ");
}

#[test]
fn no_listener() {
    let mut command = mynah();
    let port = ReservedPort::new();
    command.args(["converse", "Hello!"]).env("DAPR_GRPC_PORT", port.number.to_string());
    assert_snapshot!(run(&mut command), @"
    -- stderr
    mynah: nothing listens at 127.0.0.1:[port]; start a sidecar there, such as mynah or dapr run, or set another address with --address
    -- exit 1
    ");
}

#[test]
fn http_port() {
    let sidecar = Sidecar::start();
    assert_snapshot!(run_converse(&sidecar, &["Hello!", "--address", &sidecar.http.to_string()]), @"
    -- stderr
    mynah: the call to 127.0.0.1:[port] failed with Internal: protocol error: received message with invalid compression flag: 123 (valid flags are 0 and 1) while receiving response with status: 404 Not Found; this is not a gRPC port
    -- exit 1
    ");
}

#[test]
fn flag_overrides_endpoint_and_endpoint_overrides_port() {
    let sidecar = Sidecar::start();
    let port = ReservedPort::new();
    let (address, nowhere) = (sidecar.grpc.to_string(), format!("127.0.0.1:{}", port.number));
    let mut by_flag = converse(&sidecar, &["by flag", "--address", &address]);
    by_flag.env("DAPR_GRPC_ENDPOINT", &nowhere).env("DAPR_GRPC_PORT", "1");
    let mut by_endpoint = converse(&sidecar, &["by endpoint"]);
    by_endpoint.env("DAPR_GRPC_ENDPOINT", format!("http://{address}")).env("DAPR_GRPC_PORT", "1");
    let mut by_port = converse(&sidecar, &["by port"]);
    by_port.env("DAPR_GRPC_ENDPOINT", "");
    let reports = [by_flag, by_endpoint, by_port].map(|mut command| run(&mut command));
    assert_eq!(reports, ["by flag", "by endpoint", "by port"].map(|by| format!("{by}\n-- exit 0")));
}

#[test]
fn invalid_address() {
    assert_snapshot!(run_report(&["converse", "Hello!", "--address", "localhost"]), @r#"
    -- stderr
    mynah: invalid address "localhost"; expected host:port, http://host:port or unix:///path (from --address, DAPR_GRPC_ENDPOINT or DAPR_GRPC_PORT)
    -- exit 64
    "#);
    assert_snapshot!(run_report(&["converse", "Hello!", "--address", "https://localhost:443"]), @r#"
    -- stderr
    mynah: invalid address "https://localhost:443": TLS is not supported; expected http://host:port (from --address, DAPR_GRPC_ENDPOINT or DAPR_GRPC_PORT)
    -- exit 64
    "#);
}

#[test]
fn sends_token() {
    let sidecar = Sidecar::start_in(&[("DAPR_API_TOKEN", "right")], &[]);
    let with = |token: &str| run(converse(&sidecar, &["Hello!"]).env("DAPR_API_TOKEN", token));
    assert_snapshot!(with("right"), @"
    Hello!
    -- exit 0
    ");
    allow_duplicates! {
        for token in ["wrong", ""] {
            assert_snapshot!(with(token), @"
            -- stderr
            mynah: the call to 127.0.0.1:[port] failed with Unauthenticated: Unauthorized; set DAPR_API_TOKEN to the sidecar's token
            -- exit 1
            ");
        }
    }
    assert_snapshot!(with("ri\nght"), @"
    -- stderr
    mynah: invalid API token; expected printable ASCII characters, without blanks at the ends (from DAPR_API_TOKEN)
    -- exit 64
    ");
}

/// daprd can listen on a Unix socket. The socket in this test forwards to a sidecar's port.
#[tokio::test(flavor = "multi_thread")]
async fn connects_to_unix_socket() {
    let sidecar = Sidecar::start();
    let socket = scratch("s").join("s");
    let listener = UnixListener::bind(&socket).unwrap();
    let grpc = sidecar.grpc;
    tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut server = TcpStream::connect(grpc).await.unwrap();
        tokio::io::copy_bidirectional(&mut client, &mut server).await
    });
    let address = format!("unix:{}", socket.display());
    assert_snapshot!(run_converse(&sidecar, &["Hello!", "--address", &address]), @"
    Hello!
    -- exit 0
    ");
}

/// The listener accepts connections but never answers.
#[test]
fn gives_up_on_silent_listener() {
    let silent = occupied_port();
    let address = silent.local_addr().unwrap().to_string();
    let mut command = mynah();
    assert_snapshot!(run(command.args(["converse", "Hello!", "--address", &address])), @"
    -- stderr
    mynah: the call to 127.0.0.1:[port] failed with Unavailable: http2 error: operation timed out
    -- exit 1
    ");
}
