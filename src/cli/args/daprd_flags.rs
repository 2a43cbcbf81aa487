//! daprd flags that mynah accepts but ignores, so that a script that starts daprd can start mynah
//! with the same flags.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, parser::ValueSource};

/// The flags of daprd 1.18 that take a value and that mynah ignores.
const WITH_VALUE: [&str; 34] = [
    "actors-disseminate-timeout",
    "actors-service",
    "allowed-origins",
    "app-channel-address",
    "app-health-check-path",
    "app-health-probe-interval",
    "app-health-probe-timeout",
    "app-health-threshold",
    "app-max-concurrency",
    "app-port",
    "app-protocol",
    "config",
    "control-plane-address",
    "control-plane-namespace",
    "control-plane-trust-domain",
    "dapr-block-shutdown-duration",
    "dapr-http-max-request-size",
    "dapr-http-read-buffer-size",
    "dapr-internal-grpc-listen-address",
    "dapr-internal-grpc-port",
    "dapr-public-listen-address",
    "dapr-public-port",
    "disable-init-endpoints",
    "log-file",
    "metrics-listen-address",
    "mode",
    "placement-host-address",
    "profile-port",
    "read-buffer-size",
    "reminders-service",
    "scheduler-host-address",
    "scheduler-job-streams",
    "sentry-address",
    "sentry-request-jwt-audiences",
];

/// The boolean flags of daprd 1.18 that mynah ignores. `=true` and `=false` are optional.
const BOOLEAN: [&str; 8] = [
    "app-ssl",
    "build-info",
    "disable-builtin-k8s-secret-store",
    "enable-api-logging",
    "enable-app-health-check",
    "enable-mtls",
    "enable-profiling",
    "wait",
];

/// Adds a second dash to long flags with a single dash, because daprd accepts both forms.
///
/// Arguments after `--` are not changed.
pub(crate) fn with_two_dashes(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut flags_ended = false;
    let args = args.map(|arg| {
        flags_ended |= arg == "--";
        match arg.to_str().map(str::as_bytes) {
            Some([b'-', first, _, ..]) if !flags_ended && first.is_ascii_alphabetic() => {
                let mut flag = OsString::from("-");
                flag.push(&arg);
                flag
            }
            _ => arg,
        }
    });
    args.collect()
}

/// The ignored flags that are on the command line, with their dashes.
#[derive(Debug, Clone, Default)]
pub(crate) struct DaprdFlags(pub Vec<String>);

impl Args for DaprdFlags {
    fn augment_args(command: Command) -> Command {
        // daprd allows some of these flags to be repeated.
        let hidden =
            |name: &'static str| Arg::new(name).long(name).hide(true).action(ArgAction::Append);
        // Values may start with a hyphen: one of these flags is -1 by default in daprd.
        let with_value = |name| hidden(name).allow_hyphen_values(true);
        let boolean =
            |name| hidden(name).num_args(0..=1).require_equals(true).default_missing_value("true");
        command.args(WITH_VALUE.map(with_value)).args(BOOLEAN.map(boolean))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for DaprdFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |name: &&&str| matches.value_source(name) == Some(ValueSource::CommandLine);
        let flags = WITH_VALUE.iter().chain(&BOOLEAN).filter(given);
        Ok(Self(flags.map(|name| format!("--{name}")).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_second_dash_to_long_flags() {
        let cases = [
            ("-app-id", "--app-id"),
            ("-enable-metrics=false", "--enable-metrics=false"),
            ("--app-id", "--app-id"),
            ("-h", "-h"),
            ("-1", "-1"),
            ("-10", "-10"),
            ("-", "-"),
            ("app-id", "app-id"),
        ];
        for (written, expected) in cases {
            assert_eq!(with_two_dashes([written.into()].into_iter()), [expected], "{written}");
        }
    }

    #[test]
    fn does_not_change_arguments_after_double_dash() {
        let args = ["-app-id", "--", "ls", "-la"].map(OsString::from);
        assert_eq!(with_two_dashes(args.into_iter()), ["--app-id", "--", "ls", "-la"]);
    }
}
