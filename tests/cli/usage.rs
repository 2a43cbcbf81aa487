//! Tests of errors in the command line.

use insta::assert_snapshot;

use super::run_report;

#[test]
fn unknown_flag() {
    assert_snapshot!(run_report(&["--resource-path", "x"]), @"
    -- stderr
    error: unexpected argument '--resource-path' found

      tip: a similar argument exists: '--resources-path'

    Usage: mynah --resources-path <FOLDER>

    For more information, try '--help'.
    -- exit 64
    ");
}

#[test]
fn unknown_command() {
    assert_snapshot!(run_report(&["sreve"]), @"
    -- stderr
    error: unrecognized subcommand 'sreve'

      tip: a similar subcommand exists: 'serve'

    Usage: mynah [OPTIONS]
           mynah <COMMAND>

    For more information, try '--help'.
    -- exit 64
    ");
}

#[test]
fn flag_without_value() {
    assert_snapshot!(run_report(&["--app-id"]), @"
    -- stderr
    error: a value is required for '--app-id <ID>' but none was supplied

    For more information, try '--help'.
    -- exit 64
    ");
}

#[test]
fn check_without_a_path() {
    assert_snapshot!(run_report(&["check"]), @"
    -- stderr
    error: the following required arguments were not provided:
      <PATH>...

    Usage: mynah check <PATH>...

    For more information, try '--help'.
    -- exit 64
    ");
}

#[test]
fn invalid_sizes() {
    assert_snapshot!(run_report(&["--max-memory", "15Mi"]), @r#"
    -- stderr
    mynah: invalid value "15Mi" for --max-memory: expected at least 4 times --max-body-size, which is "4Mi"
    -- exit 64
    "#);
    assert_snapshot!(run_report(&["--max-body-size", "4MB"]), @r#"
    -- stderr
    mynah: invalid value "4MB" for --max-body-size: expected a size, such as 4194304, 512Ki, 4Mi or 1G
    -- exit 64
    "#);
}

#[test]
fn invalid_listen_address() {
    assert_snapshot!(run_report(&["--dapr-listen-addresses", "localhost"]), @r#"
    -- stderr
    mynah: invalid value "localhost" for --dapr-listen-addresses: expected IP addresses, such as 127.0.0.1,::1
    -- exit 64
    "#);
}

#[test]
fn invalid_log_level() {
    assert_snapshot!(run_report(&["--log-level", "loud"]), @"
    -- stderr
    error: invalid value 'loud' for '--log-level <LEVEL>'
      [possible values: debug, info, warn, error]

    For more information, try '--help'.
    -- exit 64
    ");
}

#[test]
fn invalid_boolean() {
    assert_snapshot!(run_report(&["--enable-metrics=maybe"]), @"
    -- stderr
    error: invalid value 'maybe' for '--enable-metrics[=<BOOL>]': expected true or false

    For more information, try '--help'.
    -- exit 64
    ");
}

#[test]
fn invalid_port() {
    assert_snapshot!(run_report(&["--dapr-grpc-port", "70000"]), @"
    -- stderr
    error: invalid value '70000' for '--dapr-grpc-port <PORT>': 70000 is not in 0..=65535

    For more information, try '--help'.
    -- exit 64
    ");
}
