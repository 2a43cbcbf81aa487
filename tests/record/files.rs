//! The files of recordings, and the flags.

use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
};

use futures_util::future::join_all;
use insta::assert_snapshot;
use rustix::process::Signal;
use twox_hash::XxHash3_64;

use super::{component, component_of, model, recorded, recorder, recorder_with, stop};
use crate::support::{
    Sidecar,
    messages::{request, user},
    mynah,
    process::Process,
    scratch,
};

fn asks(text: &str) -> mynah::internals::wire::proto::ConversationRequestAlpha2 {
    mynah::internals::wire::proto::ConversationRequestAlpha2 {
        name: "gpt".to_owned(),
        ..request([user(text)])
    }
}

/// Returns the message of a mynah that does not start.
fn refused(flags: &[&str]) -> String {
    let mut command = mynah();
    command
        .args(["--dapr-grpc-port=0", "--dapr-http-port=0", "--enable-metrics=false"])
        .args(flags);
    let output = Process::start(&mut command).wait();
    assert_ne!(output.code, Some(0));
    output.stderr
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    let cases: [&[&str]; 8] = [
        &["--record", "a"],
        &["--upstream", "openai", "--stand-in", "echo"],
        &["--replay", "a", "--upstream", "openai"],
        &["--replay", "a", "--stand-in", "echo"],
        &["--upstream", "daprd"],
        &["--record-missing"],
        &["--record", "a", "--record-missing", "--upstream", "openai"],
        &["--replay-miss", "fallback"],
    ];
    let messages: Vec<_> = cases.map(refused).into_iter().collect();
    assert_snapshot!(messages.join("---\n"));
}

#[test]
fn types_with_other_apis_are_refused() {
    let folder = scratch("real");
    let yaml = "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {name: a}\nspec: {type: conversation.anthropic, version: v1}\n";
    fs::write(folder.join("a.yaml"), yaml).unwrap();
    let path = folder.to_str().unwrap();
    let message = refused(&["--resources-path", path, "--upstream", "openai"]);
    assert_snapshot!(message.replace(path, "FOLDER"));
}

#[tokio::test]
async fn two_recorders_do_not_share_a_folder() {
    let recordings = scratch("recordings");
    let components = component("http://127.0.0.1:9/v1");
    let first = recorder(&components, &recordings);
    let [components, folder] = [&components, &recordings].map(|it| it.to_str().unwrap());
    let flags = ["--resources-path", components, "--upstream", "openai", "--record", folder];
    assert_snapshot!(refused(&flags).replace(folder, "FOLDER"));
    drop(first);
}

/// Returns a number below `end` that looks random, the same one for each round.
fn random(round: u64, end: usize) -> usize {
    let hash = XxHash3_64::oneshot(&round.to_le_bytes());
    usize::try_from(hash % end as u64).unwrap()
}

/// Calls a recorder from several clients, and kills it after some of the calls, while others are in flight.
async fn call_and_kill(sidecar: &Sidecar, round: u64, calls: usize) {
    let finished = AtomicUsize::new(0);
    let clients = (0..4).map(|client| {
        let finished = &finished;
        async move {
            let mut connection = sidecar.client().await;
            for number in 0.. {
                let text = format!("{round}/{client}/{number} {}", "long ".repeat(999));
                // The others fail when the recorder is killed.
                if connection.converse_alpha2(asks(&text)).await.is_err() {
                    return;
                }
                if finished.fetch_add(1, Ordering::Relaxed) == calls {
                    return sidecar.signal(Signal::KILL);
                }
            }
        }
    });
    join_all(clients).await;
}

/// A recorder that is killed at any moment leaves whole exchanges.
#[tokio::test]
async fn a_killed_recorder_leaves_whole_files() {
    let model = model("rules: [{respond: \"{{ user }}\"}]");
    let components = component_of(&model);
    for round in 0..20 {
        let (recordings, calls) = (scratch("recordings"), random(round, 300));
        let file = recordings.join("gpt.yaml");
        let sidecar = recorder(&components, &recordings);
        call_and_kill(&sidecar, round, calls).await;
        drop(sidecar);
        if file.exists() {
            let text = recorded(&recordings);
            let checked = Process::start(mynah().args(["check", file.to_str().unwrap()])).wait();
            assert_eq!(checked.code, Some(0), "{round}, {calls} calls: {}", checked.stdout);
            let whole = text.matches("    finish_reason:").count();
            assert_eq!(text.matches("- name:").count(), whole, "{round}, {calls} calls");
        }
        let sidecar = recorder(&components, &recordings);
        sidecar.converse(asks("the last one")).await.unwrap();
        stop(sidecar).await;
        assert!(recorded(&recordings).contains("- name: the last one"), "{round}, {calls} calls");
    }
}

/// A recording grows no larger than what can be read.
#[tokio::test]
async fn a_recording_that_is_full_stays_as_it_is() {
    let (model, recordings) = (model("rules: [{respond: Hi.}]"), scratch("recordings"));
    let file = recordings.join("gpt.yaml");
    let comment = format!("# {}\n", "x".repeat((64 << 20) - 100));
    let text = format!("{comment}rules:\n- match: {{user: a}}\n  respond: x\n");
    fs::write(&file, &text).unwrap();
    let sidecar = recorder(&component_of(&model), &recordings);
    assert_eq!(sidecar.converse(asks("b")).await.unwrap().content, "Hi.");
    let log = stop(sidecar).await;
    let expected = "gpt.yaml: an exchange is not recorded: the file would have more than 64 MiB";
    assert!(log.contains(expected), "{log}");
    assert!(fs::read_to_string(&file).unwrap() == text, "the file has changed");
}

#[tokio::test]
async fn calls_go_on_if_nothing_can_be_written() {
    let (model, recordings) = (model("rules: [{respond: Hi.}]"), scratch("recordings"));
    // A folder is where the file should be.
    fs::create_dir_all(recordings.join("gpt.yaml.tmp")).unwrap();
    let sidecar = recorder_with(&component_of(&model), &recordings, &[]);
    assert_eq!(sidecar.converse(asks("a")).await.unwrap().content, "Hi.");
    let logged = async || sidecar.log().contains("not recorded").then_some(());
    crate::support::process::wait_until(logged, "the error was not logged").await;
    assert_eq!(sidecar.converse(asks("b")).await.unwrap().content, "Hi.");
}
