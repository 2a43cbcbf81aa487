//! Tests of `--help` and `--version`.

use insta::assert_snapshot;

use super::run_report;

#[test]
fn version() {
    assert_snapshot!(run_report(&["--version"]), @"
    mynah [version]
    -- exit 0
    ");
}

#[test]
fn short_help() {
    assert_snapshot!(run_report(&["-h"]), @"
    A deterministic stand-in for the language model behind Dapr's Conversation API

    Usage: mynah [OPTIONS]
           mynah <COMMAND>

    Commands:
      serve        Run the sidecar (default command)
      run          Run a command with a sidecar on free ports, and return the command's exit code
      check        Check files of components, simulations, rules and tools, and print all errors and warnings with their locations
      converse     Send a prompt to a sidecar, mynah or daprd, and print the answer
      simulate     Play simulated conversations between customers and agents, and write a report
      journal      Print the calls of a sidecar as JSON lines
      inspect      Show the calls in a journal file in a browser
      report       Write the calls in a journal file as one HTML page
      verify       Check the calls of a sidecar against the expectations in a rules file
      diff         Send the recorded requests to the real models again, and report what has changed
      explain      Say which tools echo calls for a prompt, with which arguments, and why
      schema       Print the JSON Schema of a format, for editors
      import       Convert files of another program to a rules file, and print it
      completions  Print a script that completes commands and flags in a shell
      man          Print the manual page, or write the pages of all commands to a folder
      help         Print this message or the help of the given subcommand(s)

    Options:
          --resources-path <FOLDER>
              Folder of component YAML files; can be repeated [default: a built-in echo component]
          --stand-in <PROVIDER>
              Provider for conversation components of unsupported types [possible values: echo, scripted]
          --upstream <API>
              Pass on what no rule answers to the real model of each component [default: never] [possible values: openai, daprd]
          --record <FOLDER>
              Record the answers of real models to a folder, a file for each component; needs --upstream
          --record-errors
              Record errors of real models, too
          --replay <FOLDER>
              Answer for components with real models from the recordings in a folder, without any model
          --record-missing
              Pass on what is not recorded to the real models, and add it to the replayed folder; needs --upstream
          --replay-miss <WHAT>
              What answers requests that are not recorded [default: error] [possible values: error, fallback]
          --rules <PATH>
              File or folder of rules for stand-ins, the built-in component and scripted components without rules; can be repeated
          --strict-history
              Reject requests whose tool calls and results do not match, as real models do
          --strict
              Let calls fail that no rule and no instruction chain answers
          --openai-component <NAME>
              Component for requests of OpenAI's API whose model is not a component [default: the only one]
          --app-id <ID>
              Id of the application [default: mynah]
          --dapr-grpc-port <PORT>
              gRPC port; 0 selects a free port [default: $DAPR_GRPC_PORT or 50001; for run: 0]
          --dapr-http-port <PORT>
              HTTP port; 0 selects a free port [default: $DAPR_HTTP_PORT or 3500; for run: 0]
          --dapr-listen-addresses <ADDRESSES>
              IP addresses to listen on, separated by commas [default: $MYNAH_LISTEN_ADDRESSES or 127.0.0.1,::1]
          --daprd <HOST:PORT>
              gRPC address of a daprd that gets all calls except conversations
          --daprd-http <HOST:PORT>
              HTTP address of a daprd that gets all requests except conversations
          --allowed-hosts <HOSTS>
              Additional host names that browsers may use, separated by commas
          --metrics-port <PORT>
              Metrics port; 0 selects a free port [default: 9090; for run: 0]
          --enable-metrics[=<BOOL>]
              Serve Prometheus metrics [default: true]
          --max-body-size <SIZE>
              Maximum size of a request or response [default: 4Mi]
          --max-memory <SIZE>
              Maximum memory for all requests and responses [default: 256Mi]
          --dapr-graceful-shutdown-seconds <SECONDS>
              Time for calls in flight to finish at shutdown [default: 5]
          --unix-domain-socket <FOLDER>
              Folder for the sockets dapr-ID-grpc.socket and dapr-ID-http.socket, which replace the ports
          --component-socket <NAME>
              Serve a pluggable component on the socket NAME.sock in $DAPR_COMPONENTS_SOCKETS_FOLDER
          --component-socket-mode <MODE>
              Permissions of the component socket, in octal [default: 600]
          --component-files <FOLDER>
              Folder for the files that the metadata of pluggable components may name; also allows MCP servers [default: none]
          --journal-size <SIZE>
              Maximum memory for the journal of calls; 0 turns the journal off [default: 32Mi]
          --journal <FILE>
              Append all calls to a file, as JSON lines
          --inspector[=<BOOL>]
              Serve the inspector, a page that shows the calls, at /mynah/ [default: true]
          --addresses-file <FILE>
              Write the bound addresses to a file, as JSON
          --exit-on-stdin-close
              Stop when standard input is closed, as after SIGTERM
          --log-level <LEVEL>
              Log level [default: info; for run: warn] [possible values: debug, info, warn, error]
          --log-as-json[=<BOOL>]
              Log as JSON [default: false]
      -h, --help
              Print help (see more with '--help')
      -V, --version
              Print version
    -- exit 0
    ");
}

#[test]
fn long_help() {
    assert_snapshot!(run_report(&["--help"]), @"
    A deterministic stand-in for the language model behind Dapr's Conversation API

    Usage: mynah [OPTIONS]
           mynah <COMMAND>

    Commands:
      serve        Run the sidecar (default command)
      run          Run a command with a sidecar on free ports, and return the command's exit code
      check        Check files of components, simulations, rules and tools, and print all errors and warnings with their locations
      converse     Send a prompt to a sidecar, mynah or daprd, and print the answer
      simulate     Play simulated conversations between customers and agents, and write a report
      journal      Print the calls of a sidecar as JSON lines
      inspect      Show the calls in a journal file in a browser
      report       Write the calls in a journal file as one HTML page
      verify       Check the calls of a sidecar against the expectations in a rules file
      diff         Send the recorded requests to the real models again, and report what has changed
      explain      Say which tools echo calls for a prompt, with which arguments, and why
      schema       Print the JSON Schema of a format, for editors
      import       Convert files of another program to a rules file, and print it
      completions  Print a script that completes commands and flags in a shell
      man          Print the manual page, or write the pages of all commands to a folder
      help         Print this message or the help of the given subcommand(s)

    Options:
          --resources-path <FOLDER>
              Folder of component YAML files; can be repeated [default: a built-in echo component]

          --stand-in <PROVIDER>
              Provider for conversation components of unsupported types

              Possible values:
              - echo:     The provider of `conversation.echo`
              - scripted: The provider of `conversation.scripted`

          --upstream <API>
              Pass on what no rule answers to the real model of each component [default: never]

              Possible values:
              - openai: OpenAI's API, which many models have
              - daprd:  The components of the daprd in --daprd, for all models

          --record <FOLDER>
              Record the answers of real models to a folder, a file for each component; needs --upstream

          --record-errors
              Record errors of real models, too

          --replay <FOLDER>
              Answer for components with real models from the recordings in a folder, without any model

          --record-missing
              Pass on what is not recorded to the real models, and add it to the replayed folder; needs --upstream

          --replay-miss <WHAT>
              What answers requests that are not recorded [default: error]

              Possible values:
              - error:    An error, which shows the nearest exchange
              - fallback: An instruction chain in the prompt, or else echo

          --rules <PATH>
              File or folder of rules for stand-ins, the built-in component and scripted components without rules; can be repeated

          --strict-history
              Reject requests whose tool calls and results do not match, as real models do

          --strict
              Let calls fail that no rule and no instruction chain answers

          --openai-component <NAME>
              Component for requests of OpenAI's API whose model is not a component [default: the only one]

          --app-id <ID>
              Id of the application

              [default: mynah]

          --dapr-grpc-port <PORT>
              gRPC port; 0 selects a free port [default: $DAPR_GRPC_PORT or 50001; for run: 0]

          --dapr-http-port <PORT>
              HTTP port; 0 selects a free port [default: $DAPR_HTTP_PORT or 3500; for run: 0]

          --dapr-listen-addresses <ADDRESSES>
              IP addresses to listen on, separated by commas [default: $MYNAH_LISTEN_ADDRESSES or 127.0.0.1,::1]

          --daprd <HOST:PORT>
              gRPC address of a daprd that gets all calls except conversations

          --daprd-http <HOST:PORT>
              HTTP address of a daprd that gets all requests except conversations

          --allowed-hosts <HOSTS>
              Additional host names that browsers may use, separated by commas

          --metrics-port <PORT>
              Metrics port; 0 selects a free port [default: 9090; for run: 0]

          --enable-metrics[=<BOOL>]
              Serve Prometheus metrics

              [default: true]

          --max-body-size <SIZE>
              Maximum size of a request or response

              [default: 4Mi]

          --max-memory <SIZE>
              Maximum memory for all requests and responses

              [default: 256Mi]

          --dapr-graceful-shutdown-seconds <SECONDS>
              Time for calls in flight to finish at shutdown

              [default: 5]

          --unix-domain-socket <FOLDER>
              Folder for the sockets dapr-ID-grpc.socket and dapr-ID-http.socket, which replace the ports

          --component-socket <NAME>
              Serve a pluggable component on the socket NAME.sock in $DAPR_COMPONENTS_SOCKETS_FOLDER

          --component-socket-mode <MODE>
              Permissions of the component socket, in octal

              [default: 600]

          --component-files <FOLDER>
              Folder for the files that the metadata of pluggable components may name; also allows MCP servers [default: none]

          --journal-size <SIZE>
              Maximum memory for the journal of calls; 0 turns the journal off

              [default: 32Mi]

          --journal <FILE>
              Append all calls to a file, as JSON lines

          --inspector[=<BOOL>]
              Serve the inspector, a page that shows the calls, at /mynah/

              [default: true]

          --addresses-file <FILE>
              Write the bound addresses to a file, as JSON

          --exit-on-stdin-close
              Stop when standard input is closed, as after SIGTERM

          --log-level <LEVEL>
              Log level [default: info; for run: warn]

              Possible values:
              - debug: Everything
              - info:  Normal operation
              - warn:  Possible problems
              - error: Failures only

          --log-as-json[=<BOOL>]
              Log as JSON

              [default: false]

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version
    -- exit 0
    ");
}

/// `serve` has the same flags as the main command in [`long_help`].
#[test]
fn serve_help() {
    let (all, serve) = (run_report(&["--help"]), run_report(&["serve", "--help"]));
    let options = |help: &str| {
        let options = help.split_once("\nOptions:\n").unwrap().1;
        options.replace("\n  -V, --version\n          Print version\n", "")
    };
    assert_eq!(options(&serve), options(&all));
    assert_snapshot!(serve.split_once("\nOptions:").unwrap().0, @"
    Run the sidecar (default command)

    Usage: mynah serve [OPTIONS]
    ");
}

#[test]
fn help_does_not_list_ignored_daprd_flags() {
    let help = run_report(&["--help"]);
    assert!(help.contains("--app-id"));
    assert!(!help.contains("--placement-host-address"));
}
