//! Tests of Unix sockets instead of ports.

use std::{
    collections::BTreeSet,
    fs,
    net::SocketAddr,
    os::unix::{
        fs::FileTypeExt,
        net::{UnixListener, UnixStream},
    },
    path::Path,
    process::Command,
};

use mynah::internals::wire::proto::dapr_client::DaprClient;
use serde_json::json;

use crate::support::{
    http::direct_builder,
    messages::{request, user},
    mynah,
    process::{Process, listeners, run},
    scratch,
};

fn start(folder: &Path) -> Process {
    let addresses = folder.join("addresses.json");
    let _ = fs::remove_file(&addresses);
    let process = Process::start(&mut command(folder, &addresses));
    process.wait_until_serving(&addresses);
    process
}

fn command(folder: &Path, addresses: &Path) -> Command {
    let mut command = mynah();
    command.args(["--app-id", "shop", "--metrics-port=0", "--unix-domain-socket"]).arg(folder);
    command.arg("--addresses-file").arg(addresses);
    command
}

#[tokio::test]
async fn serves_both_apis_on_sockets_only() {
    let folder = scratch("sockets");
    let process = start(&folder);
    let (grpc, http_socket) =
        (folder.join("dapr-shop-grpc.socket"), folder.join("dapr-shop-http.socket"));
    for socket in [&grpc, &http_socket] {
        assert!(fs::metadata(socket).unwrap().file_type().is_socket());
    }
    let mut client = DaprClient::connect(format!("unix://{}", grpc.display())).await.unwrap();
    let answer = client.converse_alpha2(request([user("hi")])).await.unwrap().into_inner();
    let message = answer.outputs[0].choices[0].message.as_ref().unwrap();
    assert_eq!(message.content, "hi");

    let client = direct_builder().unix_socket(http_socket.clone()).build().unwrap();
    // Browsers cannot call sockets, so any host name is accepted.
    let health = client.get("http://shop.example/v1.0/healthz").send().await.unwrap();
    assert_eq!(health.status().as_u16(), 204);

    let addresses = fs::read(folder.join("addresses.json")).unwrap();
    let addresses: serde_json::Value = serde_json::from_slice(&addresses).unwrap();
    let url = |path: &Path| json!(format!("unix://{}", path.display()));
    assert_eq!((&addresses["grpc"], &addresses["http"]), (&url(&grpc), &url(&http_socket)));
    let metrics: SocketAddr = addresses["metrics"].as_str().unwrap().parse().unwrap();
    if cfg!(target_os = "linux") {
        let ports = listeners(process.id()).into_iter().map(|address| address.port());
        assert_eq!(ports.collect::<BTreeSet<_>>(), BTreeSet::from([metrics.port()]));
    }
}

#[test]
fn replaces_stale_sockets_and_removes_its_own() {
    let folder = scratch("sockets");
    // A killed process leaves its socket file behind.
    drop(UnixListener::bind(folder.join("dapr-shop-grpc.socket")).unwrap());
    let output = start(&folder).stop(&folder.join("addresses.json"));
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(output.stdout.contains("grpc.default_authority=localhost"), "{}", output.stdout);
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["addresses.json"]);
}

/// If somebody has removed the file of a running sidecar, another one can start in its place.
#[test]
fn keeps_the_socket_of_a_successor() {
    let folder = scratch("sockets");
    let addresses = folder.join("addresses.json");
    let first = start(&folder);
    let sockets = ["dapr-shop-grpc.socket", "dapr-shop-http.socket"].map(|name| folder.join(name));
    sockets.iter().for_each(|socket| fs::remove_file(socket).unwrap());
    let second = start(&folder);
    assert_eq!(first.terminate().code, Some(0));
    for socket in &sockets {
        UnixStream::connect(socket).expect("the second sidecar is reachable");
    }
    assert_eq!(second.stop(&addresses).code, Some(0));
    assert!(!sockets.iter().any(|socket| socket.exists()), "the second one removes its own");
}

#[test]
fn one_of_several_replaces_a_stale_socket() {
    for _ in 0..5 {
        let folder = scratch("sockets");
        drop(UnixListener::bind(folder.join("dapr-shop-grpc.socket")).unwrap());
        drop(UnixListener::bind(folder.join("dapr-shop-http.socket")).unwrap());
        let files: Vec<_> = (0..8).map(|number| folder.join(format!("{number}.json"))).collect();
        let processes: Vec<_> =
            files.iter().map(|file| Process::start(&mut command(&folder, file))).collect();
        let mut served = Vec::new();
        for (mut process, file) in processes.into_iter().zip(&files) {
            match process.wait_until_serving_or_exited(file) {
                true => served.push(process),
                false => assert_eq!(process.wait().code, Some(1)),
            }
        }
        assert_eq!(served.len(), 1);
        for api in ["grpc", "http"] {
            UnixStream::connect(folder.join(format!("dapr-shop-{api}.socket"))).unwrap();
        }
    }
}

#[test]
fn exits_with_one_line_if_a_socket_cannot_be_created() {
    let folder = scratch("sockets");
    let path = folder.to_str().unwrap();
    let start = |folder: &str| {
        let output = run(&["--metrics-port=0", "--unix-domain-socket", folder]);
        assert_eq!((output.code, &*output.stdout), (Some(1), ""));
        output.stderr
    };
    let line = |folder: &str, reason: &str| {
        format!(
            "mynah: cannot listen on unix://{folder}/dapr-mynah-grpc.socket: {reason}; \
             choose another folder with --unix-domain-socket\n"
        )
    };
    let missing = format!("{path}/missing");
    assert_eq!(start(&missing), line(&missing, "the folder does not exist"));
    let socket = folder.join("dapr-mynah-grpc.socket");
    fs::write(&socket, "mine").unwrap();
    assert_eq!(start(path), line(path, "the file exists and is not a socket"));
    assert_eq!(fs::read_to_string(&socket).unwrap(), "mine");
    fs::remove_file(&socket).unwrap();
    let _listener = UnixListener::bind(&socket).unwrap();
    assert_eq!(start(path), line(path, "the socket is in use"));
}
