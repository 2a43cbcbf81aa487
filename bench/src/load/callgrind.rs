//! Counts instructions per call with valgrind.

use std::{
    fs,
    process::{Command, Stdio},
};

use anyhow::Context;
use mynah_bench::cases::Case;

use crate::{
    client::{Client, SINGLE},
    cores::Cores,
    program::{Program, Programs},
    server::Server,
};

/// The number of calls in the shorter run, enough to fill the server's caches.
const WARM_UP: usize = 200;

/// Returns `true` if valgrind is installed.
pub(crate) fn is_installed() -> bool {
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    valgrind.status().is_ok_and(|status| status.success())
}

/// Counts the user-space instructions per call. The count is the difference between a long and a
/// short run, so that startup and shutdown cancel out. Calls are sequential, over one connection to
/// a server on one core, so that the count does not depend on thread scheduling.
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

/// Returns the number of calls to count. In total they need hundreds of millions of instructions,
/// because startup varies by half a million.
fn calls(case: Case) -> usize {
    match case {
        Case::Short | Case::Sessions | Case::Json | Case::OpenAi => 6_000,
        Case::Stream => 40,
        // A multiple of the requests, as is the number of calls in the shorter run.
        _ => 1_000,
    }
}

/// Counts the instructions in a whole run.
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
    let wrapper = ["valgrind", "--tool=callgrind", &file].map(ToOwned::to_owned);
    let server = cores.on_server(|| Server::start(programs, program, case, &wrapper))?;
    let mut client = Client::connect(server.address(case), case, SINGLE).await?;
    client.call_times(calls).await?;
    server.stop()?;
    let counts = fs::read_to_string(&counts).context("valgrind wrote no counts")?;
    let total = counts.lines().find_map(|line| line.strip_prefix("totals: "));
    Ok(total.context("valgrind wrote no totals")?.trim().parse()?)
}
