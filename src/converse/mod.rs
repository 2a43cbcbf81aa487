//! `mynah converse`: a client at the terminal, for any Dapr sidecar.
//!
//! ```text
//! request      the prompt, the system prompt and the history become one request
//!   history    a file of earlier messages
//! print        the answer, for people or as JSON
//! ```
//!
//! The connection is that of [`client`](crate::client).

mod error;
mod history;
mod print;
mod request;

use std::io::{self, ErrorKind, IsTerminal, Write};

use futures_util::TryStreamExt;

use self::print::{Form, Printer};
use crate::{
    cli::ConverseArgs,
    client::{Address, Client, Pieces},
    environment::Environment,
};

pub use self::error::Error;

/// Asks a sidecar and prints the answer on standard output, everything else on standard error.
///
/// A standard output that nobody reads any more ends it quietly.
pub async fn converse(args: &ConverseArgs, environment: &Environment) -> Result<(), Error> {
    match ask(args, environment).await {
        Err(Error::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

async fn ask(args: &ConverseArgs, environment: &Environment) -> Result<(), Error> {
    let written = args.address.clone().map(Address::new);
    let address = written.unwrap_or_else(|| Address::of(environment))?;
    let mut request = request::new(args)?;
    let mut client = Client::connect(address, environment.get("DAPR_API_TOKEN")).await?;
    if request.name.is_empty() {
        request.name = client.only_component().await?;
    }
    let mut printer = Printer::new(io::stdout().lock(), form(args, environment));
    if !args.stream {
        return printer.whole(client.converse(request).await?);
    }
    match client.stream(request.clone()).await? {
        Some(pieces) => print_pieces(&mut printer, pieces).await,
        None => {
            note("this sidecar does not stream; its answer comes in one piece");
            printer.whole(client.converse(request).await?)
        }
    }
}

/// What comes before an error is printed, too, and its line is ended.
async fn print_pieces(printer: &mut Printer<impl Write>, mut pieces: Pieces) -> Result<(), Error> {
    loop {
        match pieces.try_next().await {
            Ok(Some(piece)) => printer.piece(&piece)?,
            Ok(None) => return printer.end(),
            Err(error) => return printer.end_line().and(Err(error.into())),
        }
    }
}

fn form(args: &ConverseArgs, environment: &Environment) -> Form {
    let is_terminal = io::stdout().is_terminal();
    let no_colour = environment.get("NO_COLOR").is_some_and(|value| !value.is_empty());
    match (args.json, args.stream) {
        (false, _) => Form::Text { colour: is_terminal && !no_colour },
        (true, false) => Form::Json { pretty: is_terminal },
        (true, true) => Form::JsonLines,
    }
}

/// Says something that is not the answer.
fn note(text: &str) {
    // Where nobody reads it, there is nobody to tell.
    let _ = writeln!(io::stderr(), "mynah: {text}");
}
