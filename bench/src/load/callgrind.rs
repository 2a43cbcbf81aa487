//! Instructions a call, counted by valgrind.

use std::{
    fs,
    process::{Command, Stdio},
};

use anyhow::Context;
use mynah_bench::cases::Case;

use crate::{
    client::{Client, ONE},
    cores::Cores,
    program::{Program, Programs},
    server::Server,
};

/// Calls of the shorter run, after which nothing is new to the server.
const WARM_UP: usize = 200;

/// Whether valgrind is there.
pub(crate) fn is_there() -> bool {
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    valgrind.status().is_ok_and(|status| status.success())
}

/// Instructions in user space of one call: the difference of two runs, in which start and end
/// cancel out. Calls come one after the other over one connection, to a server on one core, so
/// that the work does not depend on how threads happen to meet.
pub(crate) async fn per_call(
    programs: &Programs,
    cores: Cores,
    program: Program,
    case: Case,
) -> anyhow::Result<f64> {
    let calls = calls(case);
    let short = run(programs, cores, program, case, WARM_UP).await?;
    let long = run(programs, cores, program, case, WARM_UP + calls).await?;
    Ok((long - short) / calls as f64)
}

/// Calls to count: so many that their instructions are hundreds of millions, since two starts differ
/// by half a million.
fn calls(case: Case) -> usize {
    match case {
        Case::Short | Case::Json => 6_000,
        Case::Tools | Case::History | Case::HistoryWithTools => 1_000,
        Case::Stream => 40,
    }
}

/// Instructions of a whole run.
async fn run(
    programs: &Programs,
    cores: Cores,
    program: Program,
    case: Case,
    calls: usize,
) -> anyhow::Result<f64> {
    let folder = tempfile::tempdir()?;
    let counts = folder.path().join("counts");
    let file = format!("--callgrind-out-file={}", counts.display());
    let below = ["valgrind", "--tool=callgrind", &file].map(ToOwned::to_owned);
    let server = cores.on_server(|| Server::start(programs, program, &below))?;
    let mut client = Client::connect(server.address(case), case, ONE).await?;
    client.count(calls).await?;
    server.stop()?;
    let counts = fs::read_to_string(&counts).context("valgrind has counted nothing")?;
    let total = counts.lines().find_map(|line| line.strip_prefix("totals: "));
    Ok(total.context("valgrind wrote no totals")?.trim().parse()?)
}
