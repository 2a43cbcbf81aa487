//! Measures `mynah simulate` with scripted conversations.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};

use crate::{cores::Cores, table::Table};

/// Number of messages in a conversation.
const MESSAGES: usize = 20;
/// Numbers of conversations in a run.
const RUNS: [usize; 2] = [10_000, 100_000];
/// How often the memory is read.
const INTERVAL: Duration = Duration::from_millis(5);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of the programs built with the profile `release`
    #[arg(long, value_name = "FOLDER")]
    release: PathBuf,
}

/// Prints how many conversations mynah plays in a second, and its peak memory.
pub(crate) fn simulate(args: &Args) -> anyhow::Result<()> {
    let cores = Cores::find()?;
    let mynah = args.release.join("mynah");
    let mut table =
        Table::new(&["conversations", "cores", "seconds", "conversations/s", "peak MiB"]);
    for conversations in RUNS {
        let one = cores.on_server(|| play(&mynah, conversations))?;
        let all = cores.on_all(|| play(&mynah, conversations))?;
        for (cores, Figures { seconds, peak }) in [("one", one), ("all", all)] {
            let rate = conversations as f64 / seconds;
            table.row(&[
                conversations.to_string(),
                cores.to_owned(),
                format!("{seconds:.1}"),
                format!("{rate:.0}"),
                format!("{peak:.0}"),
            ]);
        }
    }
    print!("{table}");
    Ok(())
}

struct Figures {
    seconds: f64,
    /// Peak resident memory in MiB.
    peak: f64,
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn play(mynah: &Path, conversations: usize) -> anyhow::Result<Figures> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("simulation.yaml");
    fs::write(&file, simulation(conversations))?;
    let mut command = Command::new(mynah);
    command.arg("simulate").arg(&file).arg("--out").arg(folder.path().join("out"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let peak = wait(&mut child)?;
    let seconds = start.elapsed().as_secs_f64();
    let results = fs::read_to_string(folder.path().join("out/results.jsonl"))?;
    ensure!(results.lines().count() == 1 + conversations, "conversations are missing");
    Ok(Figures { seconds, peak })
}

/// Waits for the end of a process. Returns its peak resident memory in MiB.
fn wait(child: &mut Child) -> anyhow::Result<f64> {
    let mut peak = 0.0;
    loop {
        peak = peak_resident(child.id()).unwrap_or(peak);
        if let Some(status) = child.try_wait()? {
            ensure!(status.success(), "mynah simulate failed: {status}");
            return Ok(peak);
        }
        thread::sleep(INTERVAL);
    }
}

/// Returns `None` if the process has ended.
fn peak_resident(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024.0)
}

/// Returns a simulation in which everything is scripted.
fn simulation(conversations: usize) -> String {
    let script = |said: &str| {
        let step =
            |number| format!("{{text: \"{said} {number}: order {} is late\"}}", 1_000 + number);
        (0..MESSAGES / 2).map(step).collect::<Vec<_>>().join(", ")
    };
    format!(
        "name: benchmark\n\
         outcomes: [{{name: resolved, description: The issue was resolved}}]\n\
         participants:\n\
         - {{name: anna, role: customer, script: [{}]}}\n\
         - {{name: desk, role: agent, script: [{}]}}\n\
         detectors: [{{outcome: resolved, match: {{sender: agent, content: answer 9}}}}]\n\
         scenarios:\n\
         - {{id: refund, customer: anna, agent: desk, repeat: {conversations},\n   \
         initial_message: {{sender: customer, content: \"question 0: order 1000 is late\"}}}}\n",
        script("question"),
        script("answer"),
    )
}
