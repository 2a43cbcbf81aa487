//! Tests that if a call to a command tool ends early, the command and its children are killed.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use futures_util::StreamExt;
use mynah::{
    tool_loop::{CancellationToken, LoopEnd, LoopEvent, LoopSettings, ToolLoop},
    tools,
};

use super::{
    ask,
    doubles::{calls_then_repeats, settle},
    outcomes, result_texts,
};
use crate::support::{process::wait_for_exit, scratch};

/// Returns a loop with one tool that never ends, and the file in which the tool's command lists its
/// process ids.
async fn endless(limits: &str) -> (Arc<ToolLoop>, PathBuf) {
    let folder = scratch("endless");
    let pids = folder.join("pids");
    let script = format!("sleep 1000 & echo $$ $! > {0}.new; mv {0}.new {0}; wait", pids.display());
    let file = folder.join("tools.yaml");
    let yaml = format!("tools: [{{name: wait, command: [sh, -c, \"{script}\"]{limits}}}]");
    fs::write(&file, yaml).unwrap();
    let registry = tools::load(&file).await.unwrap();
    (Arc::new(ToolLoop::new(registry, LoopSettings::default()).unwrap()), pids)
}

/// Waits until the command is running.
async fn wait_until_running(pids: &Path) {
    let exists = async || pids.exists().then_some(());
    crate::support::process::wait_until(exists, "the command does not run").await;
}

fn model() -> Arc<dyn mynah::provider::Provider> {
    calls_then_repeats(&[&[("wait", "{}")]])
}

#[tokio::test]
async fn a_timeout_kills_the_command() {
    let (tool_loop, pids) = endless(", timeout: 60s").await;
    let (result, ()) = tokio::join!(tool_loop.run(model(), ask("Go!")).into_future(), async {
        wait_until_running(&pids).await;
        // From now on, the clock advances to the timeout when nothing else happens.
        tokio::time::pause();
    });
    assert_eq!(outcomes(&result), ["timed_out"]);
    assert_eq!(result_texts(&result), ["Error executing wait: no result within 60s"]);
    wait_for_exit(&pids);
}

#[tokio::test]
async fn cancelling_kills_the_command() {
    let (tool_loop, pids) = endless("").await;
    let cancel = CancellationToken::new();
    let running = tool_loop.run(model(), ask("Go!")).cancel_with(cancel.clone());
    let (result, ()) = tokio::join!(running, async {
        wait_until_running(&pids).await;
        cancel.cancel();
    });
    assert_eq!(result.end, LoopEnd::Cancelled);
    wait_for_exit(&pids);
    let leader = fs::read_to_string(&pids).unwrap();
    let leader = leader.split_whitespace().next().unwrap().to_owned();
    let gone = async || fs::metadata(format!("/proc/{leader}")).is_err().then_some(());
    crate::support::process::wait_until(gone, "the command is still a zombie").await;
}

#[tokio::test]
async fn dropping_the_run_kills_the_command() {
    let (tool_loop, pids) = endless("").await;
    let mut events = tool_loop.run(model(), ask("Go!")).stream();
    tokio::select! {
        () = wait_until_running(&pids) => {}
        () = async { while let Some(event) = events.next().await {
            assert!(!matches!(event, LoopEvent::Ended(_)), "{event:?}");
        } } => {}
    }
    drop(events);
    settle().await;
    wait_for_exit(&pids);
}
