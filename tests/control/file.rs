//! `--journal FILE` has every answered call.

use std::{
    fs::{self, File},
    path::Path,
    process::Command,
    sync::atomic::AtomicUsize,
    sync::atomic::Ordering::Relaxed,
};

use futures_util::future::{join, join_all};
use rustix::process::Signal;
use serde_json::Value;

use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{request, user},
    mynah,
    process::{Process, run, with_timeout},
    scratch,
};

fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn loses_no_answered_call_on_sigterm() {
    let file = scratch("journal").join("journal.jsonl");
    let flag = format!("--journal={}", file.display());
    let mut sidecar = Sidecar::start_with(&[&flag, "--journal-size=0"]);
    let answered = AtomicUsize::new(0);
    let clients = join_all((0..16).map(|_| sidecar.client())).await;
    let callers = clients.into_iter().map(async |mut client| {
        while with_timeout(client.converse_alpha2(request([user("hi")]))).await.is_ok() {
            answered.fetch_add(1, Relaxed);
        }
    });
    let stop = async {
        while answered.load(Relaxed) < 200 {
            tokio::task::yield_now().await;
        }
        sidecar.signal(Signal::TERM);
    };
    join(join_all(callers), stop).await;
    assert!(sidecar.wait().await.success());
    let lines = lines(&file);
    let ok = lines.iter().filter(|line| line["outcome"] == "ok").count();
    assert_eq!(ok, answered.load(Relaxed));
    let numbers: Vec<_> = lines.iter().map(|line| line["number"].as_u64().unwrap()).collect();
    assert!(numbers.is_sorted(), "in the order of the numbers");
}

/// Calls that are cut off at the end of the grace period may have been answered just before.
#[tokio::test]
async fn loses_no_answered_call_without_grace() {
    let file = scratch("journal").join("journal.jsonl");
    let flag = format!("--journal={}", file.display());
    let mut sidecar = Sidecar::start_with(&[&flag, "--dapr-graceful-shutdown-seconds=0"]);
    let answered = AtomicUsize::new(0);
    let text = "word ".repeat(2_000);
    let clients = join_all((0..32).map(|_| sidecar.client())).await;
    let callers = clients.into_iter().map(async |mut client| {
        while with_timeout(client.converse_alpha2(request([user(&text)]))).await.is_ok() {
            answered.fetch_add(1, Relaxed);
        }
    });
    let stop = async {
        while answered.load(Relaxed) < 200 {
            tokio::task::yield_now().await;
        }
        sidecar.signal(Signal::TERM);
    };
    join(join_all(callers), stop).await;
    assert!(sidecar.wait().await.success());
    let ok = lines(&file).iter().filter(|line| line["outcome"] == "ok").count();
    assert!(ok >= answered.load(Relaxed), "{ok} of {answered:?}");
}

#[tokio::test]
async fn is_appended_to() {
    let file = scratch("journal").join("journal.jsonl");
    let flag = format!("--journal={}", file.display());
    for text in ["first", "second"] {
        let mut sidecar = Sidecar::start_with(&[&flag]);
        sidecar.converse(request([user(text)])).await.unwrap();
        sidecar.signal(Signal::TERM);
        assert!(sidecar.wait().await.success());
    }
    let texts: Vec<_> = lines(&file).iter().map(|line| line["response"]["text"].clone()).collect();
    assert_eq!(texts, ["first", "second"]);
}

#[tokio::test]
async fn a_limit_on_the_size_of_files_ends_the_file_but_not_the_sidecar() {
    let file = scratch("journal").join("journal.jsonl");
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 1; exec \"$0\" \"$@\""]).arg(mynah().get_program());
    limited.args(["run", &format!("--journal={}", file.display()), "--", "sh", "-c"]);
    let converse = "for i in 1 2 3; do \"$0\" converse --component=echo \"$(printf %0900d 1)\" >/dev/null; done";
    let output = Process::start(limited.arg(converse).arg(mynah().get_program())).wait();
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(output.stderr.contains("cannot write the journal file"), "{}", output.stderr);
}

/// A process that was killed can leave an incomplete line behind.
#[tokio::test]
async fn ends_an_incomplete_line() {
    let file = scratch("journal").join("journal.jsonl");
    fs::write(&file, "{\"number\":1,\"ti").unwrap();
    let mut sidecar = Sidecar::start_with(&[&format!("--journal={}", file.display())]);
    sidecar.converse(request([user("hi")])).await.unwrap();
    sidecar.signal(Signal::TERM);
    assert!(sidecar.wait().await.success());
    let text = fs::read_to_string(&file).unwrap();
    let (torn, rest) = text.split_once('\n').unwrap();
    assert_eq!(torn, "{\"number\":1,\"ti");
    let entry: Value = serde_json::from_str(rest.trim_end()).unwrap();
    assert_eq!(entry["response"]["text"], "hi");
}

#[cfg(unix)]
#[tokio::test]
async fn belongs_to_one_process_and_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let file = scratch("journal").join("journal.jsonl");
    let flag = format!("--journal={}", file.display());
    let sidecar = Sidecar::start_with(&[&flag]);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let output = run(&["serve", "--dapr-grpc-port=0", "--dapr-http-port=0", &flag]);
    assert_eq!(output.code, Some(1));
    let expected = format!(
        "mynah: cannot write the journal to {}: another process writes to it; choose another file\n",
        file.display()
    );
    assert_eq!(output.stderr, expected);
    drop(sidecar);
    // A device is shared.
    let devices = [(); 2].map(|()| Sidecar::start_with(&["--journal=/dev/null"]));
    devices[1].converse(request([user("hi")])).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_reader_that_stalls_does_not_stall_the_sidecar() {
    let file = scratch("journal").join("pipe");
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    let _reader = File::options().read(true).write(true).open(&file).unwrap();
    let flag = format!("--journal={}", file.display());
    let mut sidecar = Sidecar::start_with(&[&flag, "--journal-size=0"]);
    let text = "word ".repeat(200_000);
    for _ in 0..12 {
        with_timeout(sidecar.converse(request([user(&text)]))).await.unwrap();
    }
    let metrics = format!("http://{}/metrics", sidecar.metrics.unwrap());
    let metrics = direct_client().get(metrics).send().await.unwrap().text().await.unwrap();
    let dropped =
        metrics.lines().find_map(|it| it.strip_prefix("mynah_journal_file_dropped_total "));
    assert!(dropped.unwrap().parse::<u32>().unwrap() > 0, "{metrics}");
    sidecar.signal(Signal::TERM);
    assert!(sidecar.wait().await.success());
    let log = sidecar.log();
    assert_eq!(log.matches("the reader of the journal file is too slow").count(), 1, "{log}");
    assert!(log.contains("it was not written within 2s"), "{log}");
}

#[test]
fn must_be_writable() {
    let output = run(&["serve", "--dapr-grpc-port=0", "--dapr-http-port=0", "--journal=/"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("cannot write the journal to /"), "{}", output.stderr);
}
