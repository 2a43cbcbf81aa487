//! `mynah journal` and `mynah verify`.

use std::{
    fs::{self, File},
    path::PathBuf,
};

use serde_json::Value;

use crate::support::{
    Sidecar,
    messages::{request, user},
    mynah,
    process::{Output, run, wait_until},
    scratch,
};

fn endpoint(sidecar: &Sidecar) -> String {
    format!("--endpoint={}", sidecar.url("/mynah/v1"))
}

/// Runs a command outside of the asynchronous runtime.
async fn run_command(args: &[&str]) -> Output {
    let args: Vec<_> = args.iter().map(|arg| (*arg).to_owned()).collect();
    tokio::task::spawn_blocking(move || run(&args.iter().map(String::as_str).collect::<Vec<_>>()))
        .await
        .unwrap()
}

fn expectations(text: &str) -> PathBuf {
    let file = scratch("expect").join("expect.yaml");
    fs::write(&file, text).unwrap();
    file
}

#[tokio::test]
async fn journal_prints_the_calls() {
    let sidecar = Sidecar::start();
    for text in ["one", "two"] {
        sidecar.converse(request([user(text)])).await.unwrap();
    }
    let output = run_command(&["journal", &endpoint(&sidecar), "--since=1"]).await;
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    let entry: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(entry["response"]["text"], "two");
    let none = run_command(&["journal", &endpoint(&sidecar), "--session=a b&c"]).await;
    assert_eq!((none.code, none.stdout.as_str()), (Some(0), ""));
}

#[tokio::test]
async fn journal_follows_the_calls() {
    let sidecar = Sidecar::start();
    sidecar.converse(request([user("before")])).await.unwrap();
    let file = scratch("follow").join("calls.jsonl");
    let mut process = mynah()
        .args(["journal", "--follow", &endpoint(&sidecar)])
        .stdout(File::create(&file).unwrap())
        .spawn()
        .unwrap();
    for text in ["before", "after"] {
        let is_printed = async || fs::read_to_string(&file).ok().filter(|all| all.contains(text));
        wait_until(is_printed, "a call was not printed").await;
        sidecar.converse(request([user("after")])).await.unwrap();
    }
    process.kill().unwrap();
    process.wait().unwrap();
}

#[tokio::test]
async fn verify_checks_expectations() {
    let sidecar = Sidecar::start();
    sidecar.converse(request([user("hello")])).await.unwrap();
    let file = expectations("expect:\n- match: {user: hello}\n  count: {at_most: 1}\n");
    let file = file.to_str().unwrap();
    let output = run_command(&["verify", file, &endpoint(&sidecar)]).await;
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), "1 expectation met\n"));
    let output = run_command(&["verify", file, &endpoint(&sidecar), "--no-unmatched"]).await;
    let expected = "mynah: neither a rule nor a chain answered call 1: \"hello\"\n";
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), expected));
    sidecar.converse(request([user("hello again")])).await.unwrap();
    let output = run_command(&["verify", file, &endpoint(&sidecar), "--no-unmatched"]).await;
    let expected = "mynah: expected at most 1 call with {\"user\":\"hello\"}, found 2 (1, 2)\n  \
                    neither a rule nor a chain answered call 1: \"hello\"\n  \
                    neither a rule nor a chain answered call 2: \"hello again\"\n";
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), expected));
}

#[tokio::test]
async fn verify_reads_a_folder_or_nothing() {
    let rules = expectations("rules: [{name: a, match: {user: hello}, respond: a}]\n");
    let sidecar = Sidecar::start_with(&["--rules", rules.to_str().unwrap()]);
    sidecar.converse(request([user("hello")])).await.unwrap();
    let folder = scratch("rules");
    for name in ["a", "b"] {
        let text = "expect:\n- match: {user: hello}\n  count: 1\n";
        fs::write(folder.join(name).with_extension("yaml"), text).unwrap();
    }
    let folder = folder.to_str().unwrap();
    let endpoint = endpoint(&sidecar);
    for (arguments, printed) in [
        (vec![folder], "2 expectations met\n"),
        (vec![folder, "--unused"], "2 expectations met, all rules have answered\n"),
        (vec!["--unused", "--no-unmatched"], "all rules have answered, no call is unmatched\n"),
    ] {
        let output = run_command(&[&["verify"], &*arguments, &[&endpoint]].concat()).await;
        assert_eq!((output.code, output.stdout.as_str()), (Some(0), printed), "{}", output.stderr);
    }
    let session = ["verify", "--no-unmatched", "--session=tset", &endpoint];
    let output = run_command(&session).await;
    let others = "mynah: the session has no calls; there are calls of \"default\"\n";
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), others));
    let output = run_command(&["verify"]).await;
    assert_eq!(output.code, Some(64), "{}", output.stderr);
}

#[tokio::test]
async fn verify_reports_what_is_wrong() {
    let file = expectations("expect:\n- match: {usr: hello}\n");
    let output = run_command(&["verify", file.to_str().unwrap()]).await;
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("expect.yaml:2:"), "{}", output.stderr);
    let file = expectations("rules: [{respond: [{text: a}]}]\n");
    let output = run_command(&["verify", file.to_str().unwrap()]).await;
    assert!(output.stderr.ends_with("has no list `expect`\n"), "{}", output.stderr);
    let output = run_command(&["journal", "--endpoint=http://127.0.0.1:1/mynah/v1"]).await;
    assert_eq!(output.code, Some(69));
    assert_eq!(
        output.stderr,
        "mynah: nothing listens at 127.0.0.1:1; start mynah there, or set another address with \
         --endpoint\n"
    );
}
