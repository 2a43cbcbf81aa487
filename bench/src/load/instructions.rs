//! Whether mynah's hot path takes as many instructions as it is known to.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use mynah_bench::cases::Case;

use crate::{
    Folders, callgrind,
    check::check,
    cores::Cores,
    program::{Program, Programs},
    server::Server,
};

/// The calls that are counted, and what the file calls them.
const COUNTED: [(&str, Case); 4] = [
    ("short message", Case::Short),
    ("five tools", Case::Tools),
    ("long history, five tools", Case::HistoryWithTools),
    ("short message, HTTP JSON", Case::Json),
];
/// So many more in a hundred are too many.
const SLACK: f64 = 2.0;

/// What to compare with.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    folders: Folders,
    /// File of the instructions a call that are known
    #[arg(long, value_name = "FILE")]
    known: PathBuf,
    /// Write down what is counted, in the place of comparing it
    #[arg(long)]
    update: bool,
    /// Fail where there is no valgrind
    #[arg(long, env = "MYNAH_REQUIRE_VALGRIND", value_parser = clap::builder::BoolishValueParser::new())]
    require: bool,
}

/// Counts, and compares.
pub(crate) async fn instructions(args: Args) -> anyhow::Result<()> {
    if !callgrind::is_there() {
        if args.require {
            bail!("there is no valgrind, which counts instructions");
        }
        println!("passed over: there is no valgrind, which counts instructions");
        return Ok(());
    }
    let counted = count(Programs::new(args.folders, None)?).await?;
    if args.update {
        fs::write(&args.known, serde_json::to_string_pretty(&counted)? + "\n")?;
        println!("written down in {}", args.known.display());
        return Ok(());
    }
    compare(&counted, &args.known)
}

async fn count(programs: Programs) -> anyhow::Result<BTreeMap<String, u64>> {
    let cores = Cores::find()?;
    cores.pin_client()?;
    let mut counted = BTreeMap::new();
    for (name, case) in COUNTED {
        check(&cores.on_server(|| Server::start(&programs, Program::Mynah, &[]))?, case).await?;
        let calls = callgrind::per_call(&programs, cores, Program::Mynah, case).await?;
        counted.insert(name.to_owned(), calls.round() as u64);
    }
    Ok(counted)
}

/// Fails where more is counted than is known, and says where it is less.
fn compare(counted: &BTreeMap<String, u64>, file: &Path) -> anyhow::Result<()> {
    let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let known: BTreeMap<String, u64> = serde_json::from_slice(&text)
        .with_context(|| format!("{} is not what --update writes", file.display()))?;
    let mut grown = false;
    for (name, now) in counted {
        let before = known.get(name).with_context(|| format!("{name} is not written down"))?;
        let more = (*now as f64 / *before as f64 - 1.0) * 100.0;
        println!("{name}: {now} instructions a call, {before} known ({more:+.2} %)");
        grown |= more > SLACK;
        if more < -SLACK {
            println!("  fewer than known: write it down with bench/instructions --update");
        }
    }
    if grown {
        bail!(
            "over {SLACK} % more than {} knows; mend it, or if it is worth it, \
             bench/instructions --update",
            file.display()
        );
    }
    Ok(())
}
