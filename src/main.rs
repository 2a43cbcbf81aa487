//! The `mynah` program.

use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use mynah::{
    app::App,
    cli::{Cli, Command, ServeArgs},
    config::Config,
};

/// Exit status of wrong usage, as `sysexits.h` has it.
const USAGE: u8 = 64;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    let done = match cli.command {
        None => serve(&cli.serve),
        Some(Command::Serve(args)) => serve(&args),
        Some(Command::Check(_)) => Ok(()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mynah: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve(args: &ServeArgs) -> anyhow::Result<()> {
    let config = Config::new(args)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("no runtime to be had")?;
    runtime.block_on(async {
        let app = App::bind(config).await?;
        println!("{:?}", app.addresses());
        app.serve(async {
            let _ = tokio::signal::ctrl_c().await;
        })
        .await?;
        Ok(())
    })
}
