//! Logs to stderr, as text or as JSON.

use std::io::{self, IsTerminal};

use tracing::Level;
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    fmt,
    layer::SubscriberExt,
    registry,
    util::SubscriberInitExt,
};

use crate::cli::args::LogLevel;

/// Starts logging. Log messages from other crates are limited to warnings and errors.
pub(super) fn start(level: LogLevel, as_json: bool) {
    let filter =
        Targets::new().with_default(Level::WARN).with_target(env!("CARGO_CRATE_NAME"), level);
    let registry = registry().with(filter);
    let layer = fmt::layer().with_writer(io::stderr);
    // Ignore failure: an application that calls `mynah::run` may have set up logging already.
    let _ = if as_json {
        registry.with(layer.json().flatten_event(true)).try_init()
    } else {
        let layer = layer.compact().without_time().with_target(false);
        // At a terminal, tracing-subscriber uses colors unless NO_COLOR is set.
        let layer = if io::stderr().is_terminal() { layer } else { layer.with_ansi(false) };
        registry.with(layer).try_init()
    };
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
