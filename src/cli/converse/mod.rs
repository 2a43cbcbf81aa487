//! `mynah converse`: a client at the terminal, for any Dapr sidecar.
//!
//! ```text
//! request      the prompt, the system prompt and the history become one request
//!   history    a file of earlier messages
//! print        one answer, for people or as JSON
//! run          answers of the tool loop, which runs the tools of a file
//!   repl       one after the other, to prompts that are typed
//!   tell       what happens meanwhile, for people, or
//!   json       as JSON
//! ```
//!
//! The connection is that of [`client`](crate::client).

mod error;
mod history;
mod json;
mod print;
mod repl;
mod request;
mod run;
mod tell;

use std::{
    io::{self, ErrorKind, IsTerminal, Write},
    sync::Arc,
};

use futures_util::TryStreamExt;

use self::{
    print::{Form, Printer},
    run::Runner,
    tell::Teller,
};
use crate::{
    base::{
        environment::Environment,
        terminal::{Look, harmless},
    },
    cli::{args::ConverseArgs, signals::Signals},
    client::{Address, Client, Pieces, RemoteComponent},
    tool_loop::{LoopSettings, ToolLoop},
    tools::Tools,
    wire::proto::ConversationRequestAlpha2,
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
    let tools = args.tools.as_deref().map(Tools::load).transpose().map_err(Error::Input)?;
    let mut request = request::new(args)?;
    let mut client = Client::connect(address, environment.get("DAPR_API_TOKEN")).await?;
    if request.name.is_empty() {
        request.name = client.only_component().await?;
    }
    let form = form(args, environment);
    match tools {
        None if !request::is_typed(args) => ask_once(client, request, form, args.stream).await,
        tools => {
            let streams = args.stream || request::is_typed(args);
            let aside = look(io::stderr().is_terminal(), environment);
            let teller = Teller::new(io::stdout().lock(), form, streams, aside);
            run_tools(client, request, teller, args, tools.unwrap_or_default()).await
        }
    }
}

async fn ask_once(
    mut client: Client,
    request: ConversationRequestAlpha2,
    form: Form,
    streams: bool,
) -> Result<(), Error> {
    let mut printer = Printer::new(io::stdout().lock(), form);
    if !streams {
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

async fn run_tools(
    client: Client,
    request: ConversationRequestAlpha2,
    teller: Teller<impl Write>,
    args: &ConverseArgs,
    Tools { registry, by_tool }: Tools,
) -> Result<(), Error> {
    let model = Arc::new(RemoteComponent::new(client, request.name.clone()));
    let request = request::for_loop(request, registry.tools())?;
    let settings = LoopSettings { max_turns: args.max_turns, by_tool, ..LoopSettings::default() };
    let mut runner = Runner {
        tool_loop: Arc::new(ToolLoop::new(registry, settings)?),
        model,
        teller,
        signals: Signals::to_cancel().map_err(Error::Terminal)?,
    };
    if request::is_typed(args) {
        return repl::converse(&mut runner, request).await;
    }
    runner.run(request).await?.answered()
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
    match (args.json, args.stream) {
        (false, _) => Form::Text(look(is_terminal, environment)),
        (true, false) => Form::Json { pretty: is_terminal },
        (true, true) => Form::JsonLines,
    }
}

fn look(is_terminal: bool, environment: &Environment) -> Look {
    let no_colour = environment.get("NO_COLOR").is_some_and(|value| !value.is_empty());
    match (is_terminal, no_colour) {
        (false, _) => Look::Plain,
        (true, true) => Look::Terminal,
        (true, false) => Look::Colours,
    }
}

/// Says something that is not the answer.
fn note(text: &str) {
    // Where nobody reads it, there is nobody to tell.
    let _ = writeln!(io::stderr(), "mynah: {}", harmless(text));
}
