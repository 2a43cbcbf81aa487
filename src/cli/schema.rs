//! `mynah schema`: prints the JSON Schema of a format, for editors.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use serde_json::Value;

use crate::cli::args::{SchemaArgs, SchemaFormat};

/// Prints a schema to stdout. The schemas are files, so that the program does not contain the code
/// that generates them from the types.
pub(super) fn schema(args: &SchemaArgs) -> ExitCode {
    let file = match args.format {
        SchemaFormat::Chain => include_str!("../../schemas/chain.json"),
        SchemaFormat::Faults => include_str!("../../schemas/faults.json"),
        SchemaFormat::Rules => include_str!("../../schemas/rules.json"),
        SchemaFormat::Simulate => include_str!("../../schemas/simulate.json"),
        SchemaFormat::Tools => include_str!("../../schemas/tools.json"),
    };
    let schema: Value = serde_json::from_str(file).unwrap_or_default();
    // Ignore write errors: the reader is gone.
    let _ = writeln!(io::stdout(), "{schema:#}");
    ExitCode::SUCCESS
}
