//! Tests of mynah in front of a daprd: calls other than conversations are passed on. A stub stands
//! in for daprd; `interop` has tests with the real one.

mod grpc;
mod http;
mod lifecycle;
mod metadata;
mod protocols;
pub(crate) mod stub;
mod upgrades;

use crate::support::{Sidecar, process};

/// Starts mynah in front of a stub of daprd, which serves both APIs on one port.
fn in_front_of(stub: &stub::Stub, environment: &[(&str, &str)]) -> Sidecar {
    let address = stub.address.to_string();
    Sidecar::start_in(environment, &["--daprd", &address, "--daprd-http", &address])
}

#[test]
fn rejects_addresses_that_are_not_daprds() {
    let rejected = |flags: &[&str]| {
        let output = process::run(&[&["serve"], flags].concat());
        assert_eq!(output.code, Some(64), "{flags:?}: {}", output.stderr);
        output.stderr
    };
    for address in ["", "localhost", "127.0.0.1:0", "unix:/tmp/daprd.socket", "https://a:1"] {
        for flag in ["--daprd", "--daprd-http"] {
            let message = rejected(&[flag, address]);
            assert!(message.contains(&format!("for {flag}: expected host:port")), "{message}");
        }
    }
    for flags in [
        ["--daprd", "localhost:50001"],
        ["--daprd-http", "http://127.0.0.1:3500"],
        ["--daprd", "[::]:3500"],
    ] {
        let message = rejected(&flags);
        assert!(message.contains("mynah itself listens there"), "{message}");
    }
}
