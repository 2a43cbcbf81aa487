//! Tests of `--help` of commands.

use insta::assert_snapshot;

use super::run_report;

#[test]
fn check_help() {
    assert_snapshot!(run_report(&["check", "--help"]), @"
    Check files of components, simulations, rules and tools, and print all errors and warnings with their locations

    Usage: mynah check [OPTIONS] <PATH>...

    Arguments:
      <PATH>...
              Component YAML files, simulations, files of rules, files of tools, or folders

    Options:
          --app-id <ID>
              Check only the components of one application [default: all applications]

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

          --daprd <HOST:PORT>
              gRPC address of the daprd that calls the models; needed with --upstream daprd

          --strict
              Also report the errors with which serve --strict does not start

      -h, --help
              Print help (see a summary with '-h')
    -- exit 0
    ");
}

#[test]
fn converse_help() {
    assert_snapshot!(run_report(&["converse", "--help"]), @"
    Send a prompt to a sidecar, mynah or daprd, and print the answer

    Usage: mynah converse [OPTIONS] [PROMPT]

    Arguments:
      [PROMPT]  Prompt; read from stdin if absent or -, interactive if absent at a terminal

    Options:
          --component <NAME>      Component to call [default: the only conversation component]
          --address <ADDRESS>     gRPC address of the sidecar [env: DAPR_GRPC_ENDPOINT, DAPR_GRPC_PORT] [default: 127.0.0.1:50001]
          --system <TEXT>         System prompt
          --history <FILE>        File with earlier messages, a request, or the output of --tools --json
          --tools <FILE>          File with tools that run when the model calls them
          --text-tools            Describe the tools in the system prompt and read calls from the model's text
          --max-turns <NUMBER>    Maximum number of model turns with --tools, 1 to 50 [default: 12]
          --stream                Print the answer as it arrives
          --json                  Print JSON: one object, or one line per message with --stream
          --context-id <ID>       Context id of the conversation
          --temperature <NUMBER>  Sampling temperature
      -h, --help                  Print help
    -- exit 0
    ");
}

#[test]
fn schema_help() {
    assert_snapshot!(run_report(&["schema", "--help"]), @"
    Print the JSON Schema of a format, for editors

    Usage: mynah schema <FORMAT>

    Arguments:
      <FORMAT>
              Format to describe

              Possible values:
              - chain:    Instruction chain in a prompt
              - faults:   Faults of a component
              - rules:    File for --rules
              - tools:    File for converse --tools
              - simulate: File for simulate

    Options:
      -h, --help
              Print help (see a summary with '-h')
    -- exit 0
    ");
}
