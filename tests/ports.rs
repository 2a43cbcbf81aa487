//! Tests of listen addresses, the addresses file and the metrics port.

use std::{
    fs,
    net::{SocketAddr, TcpListener, TcpStream},
};

use mynah::internals::wire::proto::dapr_client::DaprClient;
use mynah_needs::needs;

use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{prompt, request, user},
    mynah,
    ports::ReservedPort,
    process::{Process, network_address, occupied_port, run, start_and_stop},
    scratch,
};

async fn get(address: SocketAddr, path: &str) -> (u16, String) {
    let answer = direct_client().get(format!("http://{address}{path}")).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

async fn is_healthy(address: SocketAddr) -> bool {
    get(address, "/v1.0/healthz").await.0 == 204
}

#[tokio::test]
async fn flags_set_the_ports() {
    let reserved = [(); 3].map(|()| ReservedPort::new());
    let [grpc, http, metrics] = reserved.each_ref().map(|port| port.number);
    let sidecar = Sidecar::start_with_ports(
        &[],
        &[
            &format!("--dapr-grpc-port={grpc}"),
            &format!("--dapr-http-port={http}"),
            &format!("--metrics-port={metrics}"),
        ],
    );
    assert_eq!(sidecar.grpc.to_string(), format!("127.0.0.1:{grpc}"));
    assert_eq!(sidecar.http.to_string(), format!("127.0.0.1:{http}"));
    assert_eq!(sidecar.metrics.unwrap().to_string(), format!("127.0.0.1:{metrics}"));
    assert_eq!(sidecar.converse(request([user("hi")])).await.unwrap().content, "hi");
    assert!(is_healthy(sidecar.http).await);
}

#[test]
fn environment_sets_the_ports() {
    let reserved = [(); 2].map(|()| ReservedPort::new());
    let [grpc, http] = reserved.each_ref().map(|port| port.number);
    let environment =
        [("DAPR_GRPC_PORT", &*grpc.to_string()), ("DAPR_HTTP_PORT", &*http.to_string())];
    let sidecar = Sidecar::start_with_ports(&environment, &["--metrics-port=0"]);
    assert_eq!((sidecar.grpc.port(), sidecar.http.port()), (grpc, http));
}

#[test]
fn flags_override_the_environment() {
    let reserved = [(); 3].map(|()| ReservedPort::new());
    let [grpc, http, other] = reserved.each_ref().map(|port| port.number);
    let environment =
        [("DAPR_GRPC_PORT", &*other.to_string()), ("DAPR_HTTP_PORT", &*http.to_string())];
    let flags = [&format!("--dapr-grpc-port={grpc}"), "--metrics-port=0"];
    let sidecar = Sidecar::start_with_ports(&environment, &flags);
    assert_eq!((sidecar.grpc.port(), sidecar.http.port()), (grpc, http));
}

#[test]
fn commands_without_ports_ignore_the_environment() {
    let components = concat!(env!("CARGO_MANIFEST_DIR"), "/components");
    let mut check = mynah();
    check.env("DAPR_GRPC_PORT", "50001").args(["check", components]);
    assert_eq!(Process::start(&mut check).wait().code, Some(0));
}

#[test]
fn exits_with_one_line_if_a_port_is_in_use() {
    let occupied_port = occupied_port();
    let address = occupied_port.local_addr().unwrap();
    for flag in ["--dapr-grpc-port", "--dapr-http-port"] {
        let args = ["--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0"]
            .map(str::to_owned)
            .into_iter()
            .filter(|other| !other.starts_with(flag))
            .chain([format!("{flag}={}", address.port())]);
        let output = Process::start(mynah().args(args)).wait();
        let line = format!(
            "mynah: cannot listen on {address}: the port is in use; \
             choose another port with {flag} (0 picks a free one)\n"
        );
        assert_eq!((output.code, output.stderr, output.stdout), (Some(1), line, String::new()));
    }
}

/// If mynah listened on IPv4 only, `localhost` would reach mynah for some clients and the other
/// program for others.
#[needs("IPv6")]
#[test]
fn exits_if_a_port_is_in_use_on_ipv6_only() {
    let occupied_port = TcpListener::bind("[::1]:0").unwrap();
    let address = occupied_port.local_addr().unwrap();
    let port = address.port().to_string();
    let output = run(&["--dapr-http-port=0", "--metrics-port=0", "--dapr-grpc-port", &port]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.stderr.starts_with(&format!("mynah: cannot listen on {address}: the port is in"))
    );
}

#[tokio::test]
async fn warns_if_the_metrics_port_is_in_use() {
    let occupied_port = occupied_port();
    let port = format!("--metrics-port={}", occupied_port.local_addr().unwrap().port());
    let flags = ["--dapr-grpc-port=0", "--dapr-http-port=0", &port];
    let sidecar = Sidecar::start_with_ports(&[], &flags);
    assert_eq!(sidecar.metrics, None);
    assert_eq!(sidecar.converse(request([user("hi")])).await.unwrap().content, "hi");
    let output = start_and_stop(&[&port]);
    assert_eq!(output.code, Some(0));
    let warnings: Vec<_> = output.stderr.lines().filter(|line| line.contains("WARN")).collect();
    let [warning] = warnings.as_slice() else { panic!("not one warning: {warnings:?}") };
    assert!(warning.contains("no metrics: cannot listen on 127.0.0.1:"), "{warning}");
    assert!(!output.stdout.contains("metrics"), "{}", output.stdout);
}

#[needs("IPv6")]
#[tokio::test]
async fn port_0_selects_the_same_port_on_ipv4_and_ipv6() {
    let sidecar = Sidecar::start();
    let ipv6 =
        |address: SocketAddr| SocketAddr::from((std::net::Ipv6Addr::LOCALHOST, address.port()));
    assert!(sidecar.grpc.is_ipv4() && sidecar.http.is_ipv4(), "the IPv4 address is listed first");
    let mut client = DaprClient::connect(format!("http://{}", ipv6(sidecar.grpc))).await.unwrap();
    client.converse_alpha2(prompt("hi", [])).await.unwrap();
    assert!(is_healthy(ipv6(sidecar.http)).await);
    assert_eq!(get(ipv6(sidecar.metrics.unwrap()), "/metrics").await.0, 200);
}

#[tokio::test]
async fn listens_on_the_given_addresses_only() {
    let sidecar = Sidecar::start_with(&["--dapr-listen-addresses=127.0.0.1"]);
    assert!(is_healthy(sidecar.http).await);
}

#[tokio::test]
async fn listens_on_the_addresses_in_the_environment_unless_a_flag_gives_others() {
    let environment = [("MYNAH_LISTEN_ADDRESSES", "127.0.0.2")];
    let sidecar = Sidecar::start_in(&environment, &[]);
    assert_eq!(sidecar.http.ip().to_string(), "127.0.0.2");
    assert!(is_healthy(sidecar.http).await);
    let sidecar = Sidecar::start_in(&environment, &["--dapr-listen-addresses=127.0.0.3"]);
    assert_eq!(sidecar.http.ip().to_string(), "127.0.0.3");
}

#[needs("IPv6")]
#[tokio::test]
async fn listens_on_the_given_ipv6_address() {
    let sidecar = Sidecar::start_with(&["--dapr-listen-addresses=127.0.0.1"]);
    let port = sidecar.http.port();
    assert!(TcpStream::connect(("::1", port)).is_err(), "::1 was not requested");
    let sidecar = Sidecar::start_with(&["--dapr-listen-addresses", "[::1],127.0.0.1"]);
    assert!(sidecar.http.is_ipv6(), "the first address is reported");
    assert!(is_healthy(sidecar.http).await);
    assert!(is_healthy(SocketAddr::from(([127, 0, 0, 1], sidecar.http.port()))).await);
}

#[needs("network")]
#[tokio::test]
async fn other_machines_can_call_if_all_addresses_are_given() {
    let ip = network_address();
    let reachable = |address: SocketAddr| SocketAddr::new(ip, address.port());
    let local = Sidecar::start();
    for address in [local.grpc, local.http, local.metrics.unwrap()] {
        assert!(TcpStream::connect(reachable(address)).is_err(), "{address} by default");
    }
    let all = ["--dapr-listen-addresses=0.0.0.0"];
    const WARNING: &str = "other machines can call mynah without a token";
    let open = Sidecar::start_with(&all);
    assert!(open.http.ip().is_unspecified());
    for http in [SocketAddr::from(([127, 0, 0, 1], open.http.port())), reachable(open.http)] {
        assert!(is_healthy(http).await, "{http}");
    }
    let mut client = DaprClient::connect(format!("http://{}", reachable(open.grpc))).await.unwrap();
    client.converse_alpha2(prompt("hi", [])).await.unwrap();
    assert_eq!(get(reachable(open.metrics.unwrap()), "/metrics").await.0, 200);
    assert_eq!(open.log().matches(WARNING).count(), 1, "{}", open.log());

    let guarded = Sidecar::start_in(&[("DAPR_API_TOKEN", "secret")], &all);
    assert_eq!(get(reachable(guarded.http), "/v1.0/metadata").await.0, 401);
    let mut client =
        DaprClient::connect(format!("http://{}", reachable(guarded.grpc))).await.unwrap();
    let status = client.converse_alpha2(prompt("hi", [])).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::Unauthenticated);
    assert!(!guarded.log().contains(WARNING), "{}", guarded.log());
}

#[test]
fn rejects_an_address_of_another_machine() {
    // An address that is reserved for documentation.
    let output = run(&["--dapr-listen-addresses=203.0.113.1", "--dapr-grpc-port=0"]);
    assert_eq!(output.code, Some(1));
    let line = "mynah: cannot listen on 203.0.113.1:0: this machine has no such address; \
                check --dapr-listen-addresses\n";
    assert_eq!(output.stderr, line);
}

#[test]
fn addresses_file_lists_every_address() {
    let file = scratch("written").join("addresses.json");
    let path = file.to_str().unwrap();
    for (metrics, names) in [
        ("--metrics-port=0", ["grpc", "http", "metrics"].as_slice()),
        ("--enable-metrics=false", ["grpc", "http"].as_slice()),
    ] {
        let banner = start_and_stop_with_file(path, metrics);
        let text = fs::read_to_string(&file).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let written: Vec<_> = json.as_object().unwrap().keys().collect();
        assert_eq!(written, names);
        for name in names {
            let address = json[name].as_str().unwrap();
            assert!(banner.contains(address), "{address} is not in the banner: {banner}");
        }
    }
}

/// Starts and stops a sidecar that writes its addresses to `path`. Returns its standard output.
fn start_and_stop_with_file(path: &str, metrics: &str) -> String {
    let _ = fs::remove_file(path);
    let mut command = mynah();
    command.args(["--dapr-grpc-port=0", "--dapr-http-port=0", metrics, "--addresses-file", path]);
    let output = Process::start(&mut command).stop(path.as_ref());
    assert_eq!(output.code, Some(0));
    output.stdout
}

#[test]
fn exits_if_the_addresses_file_cannot_be_written() {
    let folder = scratch("folder");
    let path = folder.to_str().unwrap();
    let free = ["--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0"];
    let output = run(&[&free[..], &["--addresses-file", path]].concat());
    assert_eq!(output.code, Some(1));
    let line = format!("mynah: cannot write the addresses to {path}: ");
    assert!(output.stderr.starts_with(&line), "{}", output.stderr);
}
