//! A lack of file descriptors, and listening sockets that stop listening.

use std::{
    ffi::OsStr,
    fs,
    net::{Shutdown, SocketAddr, TcpStream},
    process::Command,
};

use rustix::process::{
    Pid, PidfdFlags, PidfdGetfdFlags, Resource, Rlimit, getrlimit, pidfd_getfd, pidfd_open, prlimit,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{is_served, survives};
use crate::support::{
    Sidecar, mynah,
    process::{Process, wait_until, with_timeout},
    scratch,
};

/// A client that sees the addresses file or the banner must be able to call mynah.
#[test]
fn start_without_enough_descriptors_announces_nothing() {
    let addresses = scratch("few").join("addresses.json");
    let mut failed = 0;
    // With fewer, the system cannot load the program.
    for limit in 4.. {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -n \"$1\"; shift; exec \"$@\"", "sh", &limit.to_string()]);
        command.arg(mynah().get_program());
        command.args(["--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0"]);
        command.arg("--addresses-file").arg(&addresses);
        let mut process = Process::start(&mut command);
        if process.wait_until_serving_or_exited(&addresses) {
            assert_eq!(process.terminate().code, Some(0), "{limit} descriptors");
            break;
        }
        let output = process.wait();
        assert!(!addresses.exists(), "{limit} descriptors: {}", output.stderr);
        assert_eq!((output.code, &*output.stdout), (Some(1), ""), "{limit} descriptors");
        assert!(!output.stderr.contains("panicked"), "{limit} descriptors: {}", output.stderr);
        failed += 1;
    }
    assert!(failed > 5, "{failed} starts failed");
}

fn pid(sidecar: &Sidecar) -> Pid {
    Pid::from_raw(i32::try_from(sidecar.pid()).unwrap()).unwrap()
}

/// Returns the numbers of the open file descriptors.
fn descriptors(sidecar: &Sidecar) -> Vec<i32> {
    let folder = fs::read_dir(format!("/proc/{}/fd", sidecar.pid())).unwrap();
    let number = |name: &OsStr| name.to_str().unwrap().parse().unwrap();
    folder.map(|entry| number(&entry.unwrap().file_name())).collect()
}

async fn check_health(connection: &mut tokio::net::TcpStream) {
    let request = b"GET /v1.0/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    connection.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(with_timeout(connection.read_u8()).await.unwrap());
    }
    assert!(answer.starts_with(b"HTTP/1.1 204"));
}

#[tokio::test]
async fn serves_again_after_it_ran_out_of_descriptors() {
    let sidecar = Sidecar::start();
    is_served(&sidecar).await;
    let mut first = tokio::net::TcpStream::connect(sidecar.http).await.unwrap();
    check_health(&mut first).await;
    let unlimited = getrlimit(Resource::Nofile);
    let few = Rlimit { current: Some(descriptors(&sidecar).len() as u64 + 10), ..unlimited };
    prlimit(Some(pid(&sidecar)), Resource::Nofile, few).unwrap();
    let mut waiting = Vec::new();
    for _ in 0..50 {
        waiting.push(tokio::net::TcpStream::connect(sidecar.http).await.unwrap());
    }
    let is_logged = async || sidecar.log().contains("cannot accept a connection").then_some(());
    wait_until(is_logged, "mynah still has descriptors").await;
    // A connection that is open is served, and a new one as soon as others are closed.
    check_health(&mut first).await;
    let mut last = waiting.pop().unwrap();
    drop(waiting);
    check_health(&mut last).await;
    survives(&sidecar, async {}).await;
}

/// Shuts down one listening socket of the process. Its own descriptor stays open.
fn stop_listening(sidecar: &Sidecar, address: SocketAddr) {
    let process = pidfd_open(pid(sidecar), PidfdFlags::empty()).unwrap();
    let copy = |number| pidfd_getfd(&process, number, PidfdGetfdFlags::empty()).ok();
    let sockets = descriptors(sidecar).into_iter().filter_map(copy).map(TcpStream::from);
    let mut listening =
        sockets.filter(|s| s.local_addr().is_ok_and(|a| a == address) && s.peer_addr().is_err());
    listening.next().expect("a listening socket").shutdown(Shutdown::Both).unwrap();
}

#[tokio::test]
async fn exits_if_a_socket_stops_listening() {
    let mut sidecar = Sidecar::start();
    let address = sidecar.http;
    stop_listening(&sidecar, address);
    assert_eq!(sidecar.wait().await.code(), Some(1));
    let line = format!("mynah: no longer listening on {address}: Invalid argument (os error 22)\n");
    assert!(sidecar.log().ends_with(&line), "{}", sidecar.log());
}
