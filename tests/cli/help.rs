//! What the program says of itself.

use insta::assert_snapshot;

use super::ran;

#[test]
fn version() {
    assert_snapshot!(ran(&["--version"]), @"
    mynah [version]
    -- exit 0
    ");
}

#[test]
fn short_help() {
    assert_snapshot!(ran(&["-h"]), @"
    A deterministic stand-in for the language model behind Dapr's Conversation API

    Usage: mynah [OPTIONS]
           mynah <COMMAND>

    Commands:
      serve     Run the sidecar; this is what mynah does without a command
      run       Run a command beside a sidecar on free ports, and end with its exit status
      check     Check component YAML and print every problem, with file, line and column
      converse  Ask a sidecar, mynah or daprd, and print the answer
      schema    Print the JSON Schema of a format, for editors
      help      Print this message or the help of the given subcommand(s)

    Options:
          --resources-path <FOLDER>
              Folder of component YAML; may be given more than once [default: one built-in echo]
          --stand-in <PROVIDER>
              What answers for conversation components of other types [possible values: echo]
          --app-id <ID>
              Id of the application beside the sidecar [default: mynah]
          --dapr-grpc-port <PORT>
              gRPC port; 0 takes any that is free [default: $DAPR_GRPC_PORT or 50001; for run 0]
          --dapr-http-port <PORT>
              HTTP port; 0 takes any that is free [default: $DAPR_HTTP_PORT or 3500; for run 0]
          --dapr-listen-addresses <ADDRESSES>
              Addresses to listen on, with commas between them [default: 127.0.0.1 and ::1]
          --allowed-hosts <HOSTS>
              Host names, beside this machine's own, under which browsers may call; with commas between
          --metrics-port <PORT>
              Metrics port; 0 takes any that is free [default: 9090; for run 0]
          --enable-metrics[=<BOOL>]
              Whether to serve metrics [default: true]
          --max-body-size <SIZE>
              Largest message, either way [default: 4Mi]
          --dapr-graceful-shutdown-seconds <SECONDS>
              Seconds that calls in flight have to finish at a stop [default: 5]
          --unix-domain-socket <FOLDER>
              Folder to make Unix sockets in, dapr-ID-grpc.socket and dapr-ID-http.socket, instead of listening on ports
          --addresses-file <FILE>
              File to write the bound addresses to, as JSON
          --log-level <LEVEL>
              How much to log [default: info; for run warn] [possible values: debug, info, warn, error]
          --log-as-json[=<BOOL>]
              Whether to log as JSON [default: false]
      -h, --help
              Print help (see more with '--help')
      -V, --version
              Print version
    -- exit 0
    ");
}

#[test]
fn long_help() {
    assert_snapshot!(ran(&["--help"]), @"
    A deterministic stand-in for the language model behind Dapr's Conversation API

    Usage: mynah [OPTIONS]
           mynah <COMMAND>

    Commands:
      serve     Run the sidecar; this is what mynah does without a command
      run       Run a command beside a sidecar on free ports, and end with its exit status
      check     Check component YAML and print every problem, with file, line and column
      converse  Ask a sidecar, mynah or daprd, and print the answer
      schema    Print the JSON Schema of a format, for editors
      help      Print this message or the help of the given subcommand(s)

    Options:
          --resources-path <FOLDER>
              Folder of component YAML; may be given more than once [default: one built-in echo]

          --stand-in <PROVIDER>
              What answers for conversation components of other types

              Possible values:
              - echo: The provider of `conversation.echo`

          --app-id <ID>
              Id of the application beside the sidecar

              [default: mynah]

          --dapr-grpc-port <PORT>
              gRPC port; 0 takes any that is free [default: $DAPR_GRPC_PORT or 50001; for run 0]

          --dapr-http-port <PORT>
              HTTP port; 0 takes any that is free [default: $DAPR_HTTP_PORT or 3500; for run 0]

          --dapr-listen-addresses <ADDRESSES>
              Addresses to listen on, with commas between them [default: 127.0.0.1 and ::1]

          --allowed-hosts <HOSTS>
              Host names, beside this machine's own, under which browsers may call; with commas between

          --metrics-port <PORT>
              Metrics port; 0 takes any that is free [default: 9090; for run 0]

          --enable-metrics[=<BOOL>]
              Whether to serve metrics

              [default: true]

          --max-body-size <SIZE>
              Largest message, either way

              [default: 4Mi]

          --dapr-graceful-shutdown-seconds <SECONDS>
              Seconds that calls in flight have to finish at a stop

              [default: 5]

          --unix-domain-socket <FOLDER>
              Folder to make Unix sockets in, dapr-ID-grpc.socket and dapr-ID-http.socket, instead of listening on ports

          --addresses-file <FILE>
              File to write the bound addresses to, as JSON

          --log-level <LEVEL>
              How much to log [default: info; for run warn]

              Possible values:
              - debug: Everything
              - info:  What happens
              - warn:  What may be wrong
              - error: What is wrong

          --log-as-json[=<BOOL>]
              Whether to log as JSON

              [default: false]

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version
    -- exit 0
    ");
}

/// The same flags as [`long_help`], under a heading of its own.
#[test]
fn help_of_serve() {
    let (all, serve) = (ran(&["--help"]), ran(&["serve", "--help"]));
    let options = |help: &str| {
        let options = help.split_once("\nOptions:\n").expect("options").1;
        options.replace("\n  -V, --version\n          Print version\n", "")
    };
    assert_eq!(options(&serve), options(&all));
    assert_snapshot!(serve.split_once("\nOptions:").unwrap().0, @"
    Run the sidecar; this is what mynah does without a command

    Usage: mynah serve [OPTIONS]
    ");
}

#[test]
fn help_of_check() {
    assert_snapshot!(ran(&["check", "--help"]), @"
    Check component YAML and print every problem, with file, line and column

    Usage: mynah check [OPTIONS] <PATH>...

    Arguments:
      <PATH>...
              Files, or folders of component YAML

    Options:
          --app-id <ID>
              Id of the application whose components to check [default: those of all applications]

          --stand-in <PROVIDER>
              What answers for conversation components of other types

              Possible values:
              - echo: The provider of `conversation.echo`

      -h, --help
              Print help (see a summary with '-h')
    -- exit 0
    ");
}

#[test]
fn help_of_converse() {
    assert_snapshot!(ran(&["converse", "--help"]), @"
    Ask a sidecar, mynah or daprd, and print the answer

    Usage: mynah converse [OPTIONS] [PROMPT]

    Arguments:
      [PROMPT]  What to ask; without it, or with -, standard input; without it at a terminal, what is typed

    Options:
          --component <NAME>      Component to ask [default: the only one for conversations]
          --address <ADDRESS>     gRPC address of the sidecar [env: DAPR_GRPC_ENDPOINT, DAPR_GRPC_PORT] [default: 127.0.0.1:50001]
          --system <TEXT>         System prompt
          --history <FILE>        File of earlier messages, a whole request, or what --tools --json printed
          --tools <FILE>          File of tools to run when the model calls them, until it answers
          --max-turns <NUMBER>    Most turns of the model for one answer, 1 to 50, with --tools [default: 12]
          --stream                Print the text as it arrives
          --json                  Print the answer as JSON; with --stream, a line for each of its messages
          --context-id <ID>       Label of the conversation
          --temperature <NUMBER>  Sampling temperature
      -h, --help                  Print help
    -- exit 0
    ");
}

#[test]
fn help_of_schema() {
    assert_snapshot!(ran(&["schema", "--help"]), @"
    Print the JSON Schema of a format, for editors

    Usage: mynah schema <WHAT>

    Arguments:
      <WHAT>
              The format

              Possible values:
              - chain: An instruction chain, which a prompt holds
              - tools: A file of tools, which mynah converse runs

    Options:
      -h, --help
              Print help (see a summary with '-h')
    -- exit 0
    ");
}

/// Whoever looks for daprd's flags knows them; the others need not read them.
#[test]
fn flags_that_mean_nothing_here_are_not_in_the_help() {
    let help = ran(&["--help"]);
    assert!(help.contains("--app-id"));
    assert!(!help.contains("--placement-host-address"));
}
