//! The `mynah` program: parse, load, bind, serve, exit code.

use std::{
    io::{self, Write},
    pin::pin,
    process::ExitCode,
};

use anyhow::Context;
use clap::Parser;
use mynah::{
    app::App,
    banner::Banner,
    check::check,
    cli::{Cli, Command, Environment, ServeArgs, with_two_dashes},
    config::{Config, ConfigError},
    logging,
    signals::Signals,
};

/// Exit status of wrong usage, as `sysexits.h` has it.
const USAGE: u8 = 64;

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(with_two_dashes(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            // Where nobody reads it, there is nobody to tell.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    let done = match cli.command {
        None => serve(&cli.serve),
        Some(Command::Serve(args)) => serve(&args),
        Some(Command::Check(args)) => Ok(check(&args)),
    };
    done.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "mynah: {error:#}");
        let wrong_usage = error.is::<ConfigError>();
        if wrong_usage { ExitCode::from(USAGE) } else { ExitCode::FAILURE }
    })
}

fn serve(args: &ServeArgs) -> anyhow::Result<ExitCode> {
    logging::start(args.log_level, args.log_as_json);
    args.warn_of_ignored_flags();
    let config = Config::new(args, Environment::read())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    runtime.block_on(run(config, args.log_as_json))
}

/// Serves until a signal, which drains; a second one cuts the drain short.
async fn run(config: Config, as_json: bool) -> anyhow::Result<ExitCode> {
    let mut signals = Signals::listen().context("cannot listen for signals")?;
    let app = App::bind(config).await?;
    Banner { addresses: app.addresses(), sidecar: app.sidecar() }.announce(as_json);
    let drain = app.sidecar().drain.clone();
    let mut serving = pin!(app.serve());
    tokio::select! {
        ended = serving.as_mut() => return ended.map(|()| ExitCode::SUCCESS).map_err(Into::into),
        () = signals.next() => drain.start(),
    }
    tokio::select! {
        ended = serving => ended.map(|()| ExitCode::SUCCESS).map_err(Into::into),
        () = signals.next() => anyhow::bail!("a second signal: calls in flight were cut"),
    }
}
