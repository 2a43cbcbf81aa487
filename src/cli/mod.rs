//! The command line: the arguments, and one file or folder for each command.

pub(crate) mod args;
mod check;
mod check_recordings;
mod child;
mod completions;
mod config;
mod control_client;
mod converse;
mod diff;
mod error;
mod explain;
mod import;
mod inspect;
mod journal;
mod journal_file;
mod logging;
mod man;
mod progress;
mod replayed;
mod run;
mod schema;
mod serve;
mod signals;
mod simulate;
#[cfg(target_os = "linux")]
mod supervisor;
mod verify;

use std::{
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
};

use clap::{
    Parser,
    error::{ContextKind, ContextValue},
};
use tokio::runtime;

use self::{
    args::{Cli, Command, LogLevel, RunArgs, ServeArgs, with_two_dashes},
    child::Program,
    config::{config, default_ports},
    error::{CliError, USAGE},
};
use crate::{
    base::{environment::Environment, terminal::escape_controls},
    server::Ports,
};

/// Runs the program with `args` and returns its exit code. The first of `args` is the program name.
///
/// ```
/// let code = mynah::run(["mynah", "schema", "chain"]);
/// assert_eq!(code, std::process::ExitCode::SUCCESS);
/// ```
pub fn run<T: Into<OsString>>(args: impl IntoIterator<Item = T>) -> ExitCode {
    run_as(Program::Embedded, args)
}

/// Runs the program like [`run`]. It may start the executable again, which must pass its arguments to
/// this function.
#[doc(hidden)]
pub fn run_executable<T: Into<OsString>>(args: impl IntoIterator<Item = T>) -> ExitCode {
    run_as(Program::Executable, args)
}

fn run_as<T: Into<OsString>>(program: Program, args: impl IntoIterator<Item = T>) -> ExitCode {
    let args = args.into_iter().map(Into::into);
    let cli = match Cli::try_parse_from(with_two_dashes(args)) {
        Ok(cli) => cli,
        Err(mut error) => {
            escape_arguments(&mut error);
            // Ignore write errors: the reader is gone.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    execute(program, cli).unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "mynah: {}", error.message());
        ExitCode::from(error.exit_code())
    })
}

/// Escapes the arguments that an error quotes, which could forge lines.
fn escape_arguments(error: &mut clap::Error) {
    let escape = |text: &String| escape_controls(text).into_owned();
    let escaped = |(kind, value): (ContextKind, &ContextValue)| match value {
        ContextValue::String(text) => Some((kind, ContextValue::String(escape(text)))),
        ContextValue::Strings(texts) => {
            Some((kind, ContextValue::Strings(texts.iter().map(escape).collect())))
        }
        ContextValue::StyledStrs(tips) => {
            let tips = tips.iter().map(|tip| escape(&tip.to_string()).into());
            Some((kind, ContextValue::StyledStrs(tips.collect())))
        }
        _ => None,
    };
    let escaped: Vec<_> = error.context().filter_map(escaped).collect();
    for (kind, value) in escaped {
        error.insert(kind, value);
    }
}

fn execute(program: Program, cli: Cli) -> Result<ExitCode, CliError> {
    signals::report_file_size_limit().map_err(CliError::Signals)?;
    match cli.command {
        None => serve(&cli.serve),
        Some(Command::Serve(args)) => serve(&args),
        Some(Command::Run(args)) => run_command(&args, program),
        #[cfg(target_os = "linux")]
        Some(Command::Supervise(args)) => Ok(supervisor::supervise(&args)?),
        Some(Command::Check(args)) => Ok(check::check(&args, Environment::read())?),
        Some(Command::Converse(args)) => {
            block_on(converse::converse(&args, &Environment::read()))??;
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Simulate(args)) => {
            logging::start_for_simulation();
            block_on_runtime(
                &mut runtime::Builder::new_multi_thread(),
                simulate::simulate(&args, &Environment::read()),
            )??;
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Journal(args)) => {
            block_on(journal::journal(&args, &Environment::read()))??;
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Inspect(args)) => {
            block_on(inspect::inspect(&args, &Environment::read()))??;
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Report(args)) => {
            inspect::report(&args)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Diff(args)) => {
            logging::start_for_simulation();
            Ok(block_on(diff::diff(&args, &Environment::read()))??)
        }
        Some(Command::Verify(args)) => Ok(block_on(verify::verify(&args, &Environment::read()))??),
        Some(Command::Explain(args)) => {
            block_on(explain::explain(&args, &Environment::read()))?.map_err(CliError::Explain)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Schema(args)) => Ok(schema::schema(&args)),
        Some(Command::Import(args)) => Ok(import::import(&args)),
        Some(Command::Completions(args)) => Ok(completions::completions(&args)),
        Some(Command::Man(args)) => {
            man::man(&args)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn serve(args: &ServeArgs) -> Result<ExitCode, CliError> {
    let environment = start(args, logging::start);
    let config = config(args, &environment, default_ports(&environment)?)?;
    block_on(serve::serve(config, args))??;
    Ok(ExitCode::SUCCESS)
}

fn run_command(args: &RunArgs, program: Program) -> Result<ExitCode, CliError> {
    let environment = start(&args.serve, logging::start_for_run);
    let config = config(&args.serve, &environment, Ports::FREE)?;
    let code = block_on(run::run(config, args, program))??;
    Ok(ExitCode::from(code))
}

/// Starts logging and reads the environment.
fn start(args: &ServeArgs, log: fn(Option<LogLevel>, bool)) -> Environment {
    log(args.log_level, args.log_as_json);
    let ignored = args.ignored.0.join(", ");
    if !ignored.is_empty() {
        tracing::warn!("ignoring daprd flags that mynah does not support: {ignored}");
    }
    Environment::read()
}

/// Runs a command on this thread. Does not wait for blocking threads at its end, which may be reading
/// slow files.
fn block_on<T>(command: impl Future<Output = T>) -> Result<T, CliError> {
    block_on_runtime(&mut runtime::Builder::new_current_thread(), command)
}

fn block_on_runtime<T>(
    builder: &mut runtime::Builder,
    command: impl Future<Output = T>,
) -> Result<T, CliError> {
    // Without these file descriptors, tokio would panic instead of returning an error.
    let pipes: io::Result<Vec<_>> = (0..4).map(|_| io::pipe()).collect();
    drop(pipes.map_err(CliError::Runtime)?);
    let runtime = builder.enable_all().build().map_err(CliError::Runtime)?;
    let result = runtime.block_on(command);
    runtime.shutdown_background();
    Ok(result)
}
