//! daprd's flags that mean nothing to mynah: accepted, so that a script that starts daprd starts
//! mynah by changing one word.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, parser::ValueSource};

/// Flags of daprd 1.18 that take a value.
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
    "kubeconfig",
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

/// Booleans of daprd 1.18: alone, or with `=true` or `=false`.
const BOOLEAN: [&str; 9] = [
    "app-ssl",
    "build-info",
    "disable-builtin-k8s-secret-store",
    "enable-api-logging",
    "enable-app-health-check",
    "enable-mtls",
    "enable-profiling",
    "log-enable-colors",
    "wait",
];

/// Writes long flags with two dashes; daprd takes them with one, too.
///
/// What follows `--` stays as it is.
pub fn with_two_dashes(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut is_over = false;
    let doubled = args.map(|arg| {
        is_over |= arg == "--";
        match arg.to_str().map(str::as_bytes) {
            Some([b'-', first, _, ..]) if !is_over && first.is_ascii_alphabetic() => {
                let mut doubled = OsString::from("-");
                doubled.push(&arg);
                doubled
            }
            _ => arg,
        }
    });
    doubled.collect()
}

/// The daprd flags that were given, with their dashes.
#[derive(Debug, Clone, Default)]
pub struct DaprdFlags(pub Vec<String>);

impl Args for DaprdFlags {
    fn augment_args(command: Command) -> Command {
        // daprd lets some be given more than once.
        let hidden =
            |name: &'static str| Arg::new(name).long(name).hide(true).action(ArgAction::Append);
        // -1 is daprd's own default of one.
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
    fn long_flags_get_two_dashes() {
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
    fn the_words_of_another_command_stay() {
        let args = ["-app-id", "--", "ls", "-la"].map(OsString::from);
        assert_eq!(with_two_dashes(args.into_iter()), ["--app-id", "--", "ls", "-la"]);
    }
}
