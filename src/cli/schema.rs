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
        SchemaFormat::Chain => scripted::SCHEMA.to_owned(),
        SchemaFormat::Faults => faults::SCHEMA.to_owned(),
        SchemaFormat::Rules => format!("{:#}\n", rules::schema()),
        SchemaFormat::Simulate => format!("{:#}\n", simulate::schema()),
        SchemaFormat::Tools => format!("{:#}\n", tools::schema()),
    };
    // Ignore write errors: the reader is gone.
    let _ = io::stdout().write_all(schema.as_bytes());
    ExitCode::SUCCESS
}
