//! `mynah converse`: a command-line client for any Dapr sidecar.
//!
//! ```text
//! request          builds the request from the flags, the history file and stdin
//!   history        reads a history file
//!   messages       creates messages from text
//! answer_printer   prints one answer
//! tool_run         runs the tool loop
//!   event_printer  prints the events of a run
//!   json           converts the events of a run to JSON
//!   repl           runs an interactive session, with one run per answer
//! output           writes to stdout and stderr
//! ```
//!
//! [`client`](crate::client) makes the calls.

mod answer_printer;
mod error;
mod event_printer;
mod output;
mod repl;
mod request;

use std::io::{self, ErrorKind, IsTerminal, Write};

pub(super) use self::error::Error;
use self::{
    answer_printer::AnswerPrinter,
    event_printer::EventPrinter,
    output::{Format, note},
    repl::Runner,
};
use super::args::ConverseArgs;
use crate::{
    base::{environment::Environment, terminal::Styling},
    client::{Address, Client, RemoteComponent},
    tool_loop::{
        LoopSettings, Rendering, ToolLoop, ToolRegistry, Wording, transcript::instructions,
    },
    tools,
    wire::proto::ConversationRequestAlpha2,
};

/// Sends a prompt to a sidecar. Prints the answer to stdout and everything else to stderr.
///
/// A closed stdout is not an error.
pub(super) async fn converse(args: &ConverseArgs, environment: &Environment) -> Result<(), Error> {
    match send(args, environment).await {
        Err(Error::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

async fn send(args: &ConverseArgs, environment: &Environment) -> Result<(), Error> {
    let address = match &args.address {
        Some(address) => Address::parse(address.clone())?,
        None => Address::from_environment(environment)?,
    };
    let tools = match args.tools.as_deref() {
        Some(file) => Some(tools::load_with(file, environment).await.map_err(Error::Input)?),
        None => None,
    };
    let is_interactive = is_interactive(args);
    let mut request =
        if is_interactive { request::for_session(args)? } else { request::for_call(args)? };
    let mut client = Client::connect(address, environment.get("DAPR_API_TOKEN")).await?;
    if request.name.is_empty() {
        request.name = client.only_component().await?;
    }
    let format = Format::new(args, environment);
    match tools {
        None if !is_interactive => call(client, request, format, args.stream).await,
        tools => {
            let streaming = args.stream || is_interactive;
            let stderr = Styling::new(io::stderr().is_terminal(), environment);
            let mut printer = EventPrinter::new(io::stdout().lock(), format, streaming, stderr);
            printer.has_calls_in_text = args.text_tools;
            run_tools(args, client, request, tools.unwrap_or_default(), printer).await
        }
    }
}

fn is_interactive(args: &ConverseArgs) -> bool {
    args.prompt.is_none() && io::stdin().is_terminal()
}

/// Makes one call, and prints tool calls instead of running them.
async fn call(
    mut client: Client,
    request: ConversationRequestAlpha2,
    format: Format,
    streaming: bool,
) -> Result<(), Error> {
    let mut printer = AnswerPrinter::new(io::stdout().lock(), format);
    if streaming {
        if let Some(messages) = client.stream(request.clone()).await? {
            return printer.print_stream(messages).await;
        }
        note("this sidecar does not stream; printing the answer when it is complete");
    }
    printer.print(client.converse(request).await?)
}

/// Runs the tool loop: once, or for each prompt of an interactive session.
async fn run_tools(
    args: &ConverseArgs,
    client: Client,
    mut request: ConversationRequestAlpha2,
    tools: ToolRegistry,
    printer: EventPrinter<impl Write>,
) -> Result<(), Error> {
    let model = RemoteComponent::new(client, request.name.clone());
    let mut settings = LoopSettings { max_turns: args.max_turns, ..LoopSettings::default() };
    if args.text_tools {
        settings.rendering = Rendering::Text(Wording::default());
        request::add_instructions(&mut request, &instructions(tools.tools()));
    }
    let request = request::for_tool_loop(request, tools.tools())?;
    let mut runner = Runner::new(model, ToolLoop::new(tools, settings)?, printer)?;
    if is_interactive(args) {
        return repl::run(&mut runner, request).await;
    }
    runner.run(request).await?.check_answered()
}
