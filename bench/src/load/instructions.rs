//! Checks mynah's instruction counts per call against a baseline.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use mynah_bench::cases::Case;

use crate::{
    Folders, Selection, callgrind,
    check::check,
    cores::Cores,
    program::{Program, Programs},
    server::Server,
};

/// The cases whose instructions are counted.
const COUNTED: [Case; 11] = [
    Case::Short,
    Case::Sessions,
    Case::Question,
    Case::History,
    Case::Mention,
    Case::Prose,
    Case::Numbers,
    Case::FortyTools,
    Case::Json,
    Case::OpenAi,
    Case::OwnTools,
];
/// The largest accepted difference from the baseline, in percent.
const TOLERANCE: f64 = 2.0;

/// Options of the check.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    folders: Folders,
    #[command(flatten)]
    selection: Selection,
    /// File with the recorded instruction counts per call
    #[arg(long, value_name = "FILE")]
    baseline: PathBuf,
    /// Write the counts to the baseline instead of comparing them
    #[arg(long, conflicts_with = "only")]
    update: bool,
    /// Fail if valgrind is not installed
    #[arg(long, env = "MYNAH_REQUIRE_VALGRIND", value_parser = clap::builder::BoolishValueParser::new())]
    require: bool,
}

/// Counts the instructions and compares them with the baseline, or updates it.
pub(crate) async fn instructions(args: Args) -> anyhow::Result<()> {
    if !callgrind::is_installed() {
        if args.require {
            bail!("valgrind is not installed; install it to count instructions");
        }
        println!("skipped: valgrind is not installed");
        return Ok(());
    }
    let counted = count(Programs::new(args.folders, None)?, &args.selection).await?;
    if args.update {
        fs::write(&args.baseline, serde_json::to_string_pretty(&counted)? + "\n")?;
        println!("updated {}", args.baseline.display());
        return Ok(());
    }
    compare(&counted, &args.baseline)
}

async fn count(programs: Programs, selection: &Selection) -> anyhow::Result<BTreeMap<String, u64>> {
    let cores = Cores::find()?;
    cores.pin_client()?;
    let mut counted = BTreeMap::new();
    for case in COUNTED.into_iter().filter(|case| selection.contains(*case)) {
        let mynah = Program::Mynah;
        check(&cores.on_server(|| Server::start(&programs, mynah, case, &[]))?, case).await?;
        let calls = callgrind::per_call(&programs, cores, mynah, case).await?;
        counted.insert(case.name().to_owned(), calls.round() as u64);
    }
    Ok(counted)
}

/// Fails if a call needs more instructions than the baseline. Prints a note if it needs fewer.
fn compare(counted: &BTreeMap<String, u64>, file: &Path) -> anyhow::Result<()> {
    let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let baseline: BTreeMap<String, u64> = serde_json::from_slice(&text)
        .with_context(|| format!("{} is not a baseline written by --update", file.display()))?;
    let mut exceeded = false;
    for (name, now) in counted {
        let before = baseline.get(name).with_context(|| format!("the baseline has no {name:?}"))?;
        let percent = (*now as f64 / *before as f64 - 1.0) * 100.0;
        println!("{name}: {now} instructions per call, baseline {before} ({percent:+.2}%)");
        exceeded |= percent > TOLERANCE;
        if percent < -TOLERANCE {
            println!("  fewer than the baseline; update it with bench/instructions --update");
        }
    }
    if exceeded {
        bail!(
            "a call needs over {TOLERANCE}% more instructions than in {}; optimize it, or accept \
             the cost with bench/instructions --update",
            file.display()
        );
    }
    Ok(())
}
