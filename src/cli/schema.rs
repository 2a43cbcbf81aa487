//! `mynah schema`: prints the JSON Schema of a format, for editors.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use crate::{
    cli::args::{SchemaArgs, SchemaFormat},
    provider::{
        faults,
        scripted::{self, rules},
    },
    simulate, tools,
};

/// Prints a schema to stdout.
pub(super) fn schema(args: &SchemaArgs) -> ExitCode {
    let schema = match args.format {
        SchemaFormat::Chain => scripted::chain_schema(),
        SchemaFormat::Faults => faults::schema(),
        SchemaFormat::Rules => rules::schema(),
        SchemaFormat::Simulate => simulate::schema(),
        SchemaFormat::Tools => tools::schema(),
    };
    // Ignore write errors: the reader is gone.
    let _ = writeln!(io::stdout(), "{schema:#}");
    ExitCode::SUCCESS
}
