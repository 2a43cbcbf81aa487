//! Whom it asks, and what it says where there is no answer.

use insta::{allow_duplicates, assert_snapshot};
use tokio::net::{TcpStream, UnixListener};

use super::{ALL, asked, converse, said};
use crate::{
    cli::{OTHER, ran},
    support::{
        Sidecar, mynah,
        process::{free_port, occupied_port},
        scratch,
    },
};

#[test]
fn an_unknown_component() {
    let sidecar = Sidecar::start();
    allow_duplicates! {
        for flags in [&["Hello!", "--component=nope"][..], &["Hello!", "--component=nope", "--stream"]]
        {
            assert_snapshot!(asked(&sidecar, flags), @"
            -- stderr
            mynah: the call to 127.0.0.1:[port] failed with InvalidArgument: failed finding conversation component nope
            -- exit 1
            ");
        }
    }
}

#[test]
fn several_components() {
    let two = format!("{ALL}---\n{}", ALL.replace("name: all", "name: alto"));
    let sidecar = Sidecar::with_components(&two);
    assert_snapshot!(asked(&sidecar, &["Hello!"]), @"
    -- stderr
    mynah: the sidecar at 127.0.0.1:[port] has several conversation components; choose one of: all, alto (--component)
    -- exit 1
    ");
    assert_snapshot!(asked(&sidecar, &["Hello!", "--component", "alto"]), @"
    Hello!
    -- exit 0
    ");
}

#[test]
fn no_component() {
    assert_snapshot!(asked(&Sidecar::with_components(OTHER), &["Hello!"]), @"
    -- stderr
    mynah: the sidecar at 127.0.0.1:[port] has no conversation component
    -- exit 1
    ");
}

#[test]
fn nobody_listens() {
    let mut command = mynah();
    command.args(["converse", "Hello!"]).env("DAPR_GRPC_PORT", free_port().to_string());
    assert_snapshot!(said(&mut command), @"
    -- stderr
    mynah: nothing listens at 127.0.0.1:[port]; start a sidecar there, such as mynah or dapr run, or set another address with --address
    -- exit 1
    ");
}

#[test]
fn an_http_port() {
    let sidecar = Sidecar::start();
    assert_snapshot!(asked(&sidecar, &["Hello!", "--address", &sidecar.http.to_string()]), @"
    -- stderr
    mynah: the call to 127.0.0.1:[port] failed with Internal: protocol error: received message with invalid compression flag: 123 (valid flags are 0 and 1) while receiving response with status: 404 Not Found; this is not a gRPC port
    -- exit 1
    ");
}

#[test]
fn a_flag_beats_the_endpoint_which_beats_the_port() {
    let sidecar = Sidecar::start();
    let (address, nowhere) = (sidecar.grpc.to_string(), format!("127.0.0.1:{}", free_port()));
    let mut by_flag = converse(&sidecar, &["by flag", "--address", &address]);
    by_flag.env("DAPR_GRPC_ENDPOINT", &nowhere).env("DAPR_GRPC_PORT", "1");
    let mut by_endpoint = converse(&sidecar, &["by endpoint"]);
    by_endpoint.env("DAPR_GRPC_ENDPOINT", format!("http://{address}")).env("DAPR_GRPC_PORT", "1");
    let mut by_port = converse(&sidecar, &["by port"]);
    by_port.env("DAPR_GRPC_ENDPOINT", "");
    let heard = [by_flag, by_endpoint, by_port].map(|mut command| said(&mut command));
    assert_eq!(heard, ["by flag", "by endpoint", "by port"].map(|by| format!("{by}\n-- exit 0")));
}

#[test]
fn an_address_that_is_none() {
    assert_snapshot!(ran(&["converse", "Hello!", "--address", "localhost"]), @r#"
    -- stderr
    mynah: invalid address "localhost"; expected host:port, http://host:port or unix:///path (--address, DAPR_GRPC_ENDPOINT or DAPR_GRPC_PORT)
    -- exit 64
    "#);
    assert_snapshot!(ran(&["converse", "Hello!", "--address", "https://localhost:443"]), @r#"
    -- stderr
    mynah: invalid address "https://localhost:443": TLS is not supported; expected http://host:port (--address, DAPR_GRPC_ENDPOINT or DAPR_GRPC_PORT)
    -- exit 64
    "#);
}

#[test]
fn a_token() {
    let sidecar = Sidecar::start_in(&[("DAPR_API_TOKEN", "right")], &[]);
    let with = |token: &str| said(converse(&sidecar, &["Hello!"]).env("DAPR_API_TOKEN", token));
    assert_snapshot!(with("right"), @"
    Hello!
    -- exit 0
    ");
    allow_duplicates! {
        for token in ["wrong", ""] {
            assert_snapshot!(with(token), @"
            -- stderr
            mynah: the call to 127.0.0.1:[port] failed with Unauthenticated: Unauthorized; DAPR_API_TOKEN must be the sidecar's token
            -- exit 1
            ");
        }
    }
    assert_snapshot!(with("ri\nght"), @"
    -- stderr
    mynah: invalid API token; expected printable ASCII characters (DAPR_API_TOKEN)
    -- exit 64
    ");
}

/// daprd can listen on a socket; this one leads to a sidecar's port.
#[tokio::test(flavor = "multi_thread")]
async fn a_unix_socket() {
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
    assert_snapshot!(asked(&sidecar, &["Hello!", "--address", &address]), @"
    Hello!
    -- exit 0
    ");
}

/// A program that takes connections and says nothing is not waited for for ever.
#[test]
fn a_silent_listener() {
    let silent = occupied_port();
    let address = silent.local_addr().unwrap().to_string();
    let mut command = mynah();
    assert_snapshot!(said(command.args(["converse", "Hello!", "--address", &address])), @"
    -- stderr
    mynah: the call to 127.0.0.1:[port] failed with Unavailable: http2 error: operation timed out
    -- exit 1
    ");
}
