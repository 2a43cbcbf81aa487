//! Logs go to standard error: for people by default, as JSON for machines.

use std::io::{self, IsTerminal};

use tracing::Level;
use tracing_subscriber::{
    filter::Targets, fmt, layer::SubscriberExt, registry, util::SubscriberInitExt,
};

use crate::cli::args::LogLevel;

/// Starts logging. Libraries are heard from `warn` on only.
pub fn start(level: LogLevel, as_json: bool) {
    let filter =
        Targets::new().with_default(Level::WARN).with_target(env!("CARGO_CRATE_NAME"), level);
    let registry = registry().with(filter);
    let layer = fmt::layer().with_writer(io::stderr);
    if as_json {
        registry.with(layer.json().flatten_event(true)).init();
    } else {
        let lines = layer.compact().without_time().with_target(false);
        // On a terminal, NO_COLOR decides.
        let colourless = !io::stderr().is_terminal();
        registry.with(if colourless { lines.with_ansi(false) } else { lines }).init();
    }
}

impl From<LogLevel> for tracing_subscriber::filter::LevelFilter {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Debug => Self::DEBUG,
            LogLevel::Info => Self::INFO,
            LogLevel::Warn => Self::WARN,
            LogLevel::Error => Self::ERROR,
        }
    }
}
