//! The `mynah` program: parse, load, bind, serve, exit code.

use std::{
    io::{self, Write},
    pin::pin,
    process::ExitCode,
};

use anyhow::Context;
use clap::Parser;
use mimalloc::MiMalloc;
use mynah::{
    base::{environment::Environment, terminal::sanitize_for_terminal},
    cli::{
        args::{Cli, Command, ConverseArgs, LogLevel, RunArgs, ServeArgs, with_two_dashes},
        check::check,
        converse, logging,
        run::RunError,
        schema::schema,
        signals::Signals,
    },
    server::{
        app::App,
        banner::Banner,
        config::{Config, ConfigError, Ports},
    },
};
use tokio::runtime::Runtime;

/// A call allocates a lot and frees it soon, at which this one is better than the system's.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

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
        Some(Command::Run(args)) => run(&args),
        Some(Command::Check(args)) => Ok(check(&args, Environment::read())),
        Some(Command::Converse(args)) => converse(&args),
        Some(Command::Schema(args)) => Ok(schema(&args)),
    };
    done.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "mynah: {}", sanitize_for_terminal(&format!("{error:#}")));
        ExitCode::from(exit_code(&error))
    })
}

fn serve(args: &ServeArgs) -> anyhow::Result<ExitCode> {
    let environment = start(args, LogLevel::Info);
    let config = Config::new(args, &environment, Ports::of_daprd(&environment)?)?;
    runtime()?.block_on(serve_until_signal(config, args.log_as_json))
}

/// Serves until a signal, which drains; a second one cuts the drain short.
async fn serve_until_signal(config: Config, as_json: bool) -> anyhow::Result<ExitCode> {
    let mut signals = Signals::to_end().context("cannot listen for signals")?;
    let app = App::bind(config).await?;
    Banner { addresses: app.addresses(), sidecar: app.sidecar() }.announce(as_json);
    let drain = app.sidecar().drain.clone();
    let mut serving = pin!(app.serve());
    tokio::select! {
        ended = serving.as_mut() => return ended.map(|()| ExitCode::SUCCESS).map_err(Into::into),
        _ = signals.next() => drain.start(),
    }
    tokio::select! {
        ended = serving => ended.map(|()| ExitCode::SUCCESS).map_err(Into::into),
        _ = signals.next() => anyhow::bail!("a second signal: calls in flight were cut"),
    }
}

fn run(args: &RunArgs) -> anyhow::Result<ExitCode> {
    let config = Config::new(&args.serve, &start(&args.serve, LogLevel::Warn), Ports::FREE)?;
    let code = runtime()?.block_on(mynah::cli::run::run(config, &args.command))?;
    Ok(ExitCode::from(code))
}

fn converse(args: &ConverseArgs) -> anyhow::Result<ExitCode> {
    runtime()?.block_on(converse::converse(args, &Environment::read()))?;
    Ok(ExitCode::SUCCESS)
}

/// Starts logging, and reads the environment.
fn start(args: &ServeArgs, usual: LogLevel) -> Environment {
    logging::start(args.log_level.unwrap_or(usual), args.log_as_json);
    args.warn_of_ignored_flags();
    Environment::read()
}

fn runtime() -> anyhow::Result<Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("cannot start the runtime")
}

/// What shells and `sysexits.h` have for it.
fn exit_code(error: &anyhow::Error) -> u8 {
    if error.is::<ConfigError>() {
        return USAGE;
    }
    let of_converse = error.downcast_ref().map(converse::Error::exit_code);
    of_converse.or(error.downcast_ref().map(RunError::exit_code)).unwrap_or(1)
}
