//! `mynah explain`: says which tools echo calls for a prompt, with which arguments, and why.

mod printed;
mod tools;

use std::io::{self, IsTerminal, Write};

use crate::{
    base::{
        diagnostics::Diagnostic,
        environment::Environment,
        files,
        terminal::{Styling, escape_controls_in_json},
        text::strip_line_break,
        work::Work,
    },
    chat::Request,
    cli::args::ExplainArgs,
    provider::echo::{Echo, EchoSettings},
};

/// Prints the explanation of a prompt to stdout.
pub(super) async fn explain(
    args: &ExplainArgs,
    environment: &Environment,
) -> Result<(), Diagnostic> {
    let tools = tools::read(&args.tools, environment).await?;
    let prompt = match args.prompt.as_deref() {
        None | Some("-") => files::read_stdin().map(strip_line_break)?,
        Some(prompt) => prompt.to_owned(),
    };
    let request = Request { tools, ..Request::from(prompt) };
    let echo = Echo::new("echo", EchoSettings::default());
    let explained = echo.explain(&request, &Work::unlimited());
    let explained = explained.map_err(|error| Diagnostic::error(error.to_string()))?;
    let (explained, is_terminal) = (explained.unwrap_or_default(), io::stdout().is_terminal());
    let text = match args.json {
        // Serializing texts and numbers cannot fail.
        true => {
            let json = serde_json::to_string(&explained).unwrap_or_default();
            escape_controls_in_json(&json).into_owned()
        }
        false => printed::text(&explained, Styling::new(is_terminal, environment)),
    };
    // Ignore write errors: the reader is gone.
    let _ = writeln!(io::stdout(), "{}", text.trim_end());
    Ok(())
}
