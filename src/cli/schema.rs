//! `mynah schema`: the JSON Schema of a format, for editors.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use crate::{
    cli::args::{SchemaArgs, What},
    provider::scripted,
    tools,
};

/// Prints the schema on standard output.
pub fn schema(args: &SchemaArgs) -> ExitCode {
    let schema = match args.what {
        What::Chain => scripted::SCHEMA.to_owned(),
        What::Tools => format!("{:#}\n", tools::schema()),
    };
    // Where nobody reads it, there is nobody to tell.
    let _ = io::stdout().write_all(schema.as_bytes());
    ExitCode::SUCCESS
}
