//! `mynah completions`: prints a script for a shell, which completes commands and flags.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Command, CommandFactory};

use crate::cli::args::{Cli, CompletionsArgs};

/// Prints the script to stdout.
pub(super) fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut visible(&Cli::command()), "mynah", &mut script);
    // Ignore write errors: the reader is gone.
    let _ = io::stdout().write_all(&script);
    ExitCode::SUCCESS
}

/// Copies what the help lists. The generators would also complete hidden commands and flags.
fn visible(command: &Command) -> Command {
    let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let commands = command.get_subcommands().filter(|command| !command.is_hide_set());
    let mut copy = Command::new(command.get_name().to_owned())
        .about(command.get_about().cloned().unwrap_or_default())
        .args(arguments)
        .subcommands(commands.map(visible));
    if let Some(version) = command.get_version() {
        copy = copy.version(version.to_owned());
    }
    copy
}
