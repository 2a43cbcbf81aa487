//! Logs to stderr, as text or as JSON.

use std::{
    fmt,
    io::{self, IsTerminal},
};

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::{
    field::RecordFields,
    filter::{LevelFilter, Targets},
    fmt::{
        FmtContext, FormatEvent, FormatFields,
        format::{DefaultFields, Format, Json, Writer},
        layer,
    },
    layer::SubscriberExt,
    registry,
    registry::LookupSpan,
    util::SubscriberInitExt,
};

use crate::{
    base::terminal::{escape_controls, escape_controls_in_json},
    cli::args::LogLevel,
};

/// Starts logging. Log messages from other crates are limited to warnings and errors.
pub(super) fn start(level: Option<LogLevel>, as_json: bool) {
    start_with(targets(level.unwrap_or(LogLevel::Info)), as_json);
}

/// Starts logging for `mynah run`. Without a level, there are only warnings, and what was recorded.
pub(super) fn start_for_run(level: Option<LogLevel>, as_json: bool) {
    let recorded = concat!(env!("CARGO_CRATE_NAME"), "::upstream");
    let default = || targets(LogLevel::Warn).with_target(recorded, Level::INFO);
    start_with(level.map_or_else(default, targets), as_json);
}

/// Starts logging for a simulation, in which models answer too often for their log messages.
pub(super) fn start_for_simulation() {
    let models = ["mynah_echo", "mynah_script"].map(|models| (models, Level::WARN));
    start_with(targets(LogLevel::Info).with_targets(models), false);
}

fn targets(level: LogLevel) -> Targets {
    Targets::new()
        .with_default(Level::WARN)
        // It logs what MCP servers send, however much. mynah reports the calls that fail.
        .with_target("rmcp", LevelFilter::OFF)
        // Also the crates whose names begin with this one's.
        .with_target(env!("CARGO_CRATE_NAME"), level)
}

fn start_with(filter: Targets, as_json: bool) {
    let registry = registry().with(filter);
    let layer = layer().with_writer(io::stderr);
    // Ignore failure: an application that calls `mynah::run` may have set up logging already.
    let _ = if as_json {
        let layer = layer.json().flatten_event(true).map_event_format(EscapedJson);
        registry.with(layer).try_init()
    } else {
        let layer = layer.compact().without_time().with_target(false).fmt_fields(EscapedFields);
        // At a terminal, tracing-subscriber uses colors unless NO_COLOR is set.
        let layer = if io::stderr().is_terminal() { layer } else { layer.with_ansi(false) };
        registry.with(layer).try_init()
    };
}

/// Formats fields with escaped control characters, so that no value can forge a line.
struct EscapedFields;

impl<'w> FormatFields<'w> for EscapedFields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut text = String::new();
        DefaultFields::new().format_fields(Writer::new(&mut text), fields)?;
        writer.write_str(&escape_controls(&text))
    }
}

/// Formats events as JSON, and escapes also the control characters that JSON allows in strings.
struct EscapedJson(Format<Json>);

impl<S, N> FormatEvent<S, N> for EscapedJson
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        writer.write_str(&escape_controls_in_json(line.trim_end_matches('\n')))?;
        writer.write_char('\n')
    }
}

impl From<LogLevel> for LevelFilter {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Debug => Self::DEBUG,
            LogLevel::Info => Self::INFO,
            LogLevel::Warn => Self::WARN,
            LogLevel::Error => Self::ERROR,
        }
    }
}
