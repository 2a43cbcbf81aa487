//! Shows the progress of a run: as a bar at a terminal, otherwise as log lines.

use std::{
    io::{self, IsTerminal},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{
    base::{clock::Moment, environment::Environment},
    simulate::RunProgress,
};

/// Time between two log lines.
const LOG_INTERVAL: Duration = Duration::from_secs(5);
const BAR: &str = "{bar:40} {pos}/{len} conversations, {per_sec}, {eta} left{msg}";

/// Shows the progress of a run.
pub(super) enum ProgressDisplay {
    Bar(ProgressBar),
    Log {
        /// When the latest line was logged.
        logged: Moment,
    },
}

impl ProgressDisplay {
    pub(super) fn new(environment: &Environment) -> Self {
        let is_dumb = environment.get("TERM").is_none_or(|term| term == "dumb");
        if is_dumb || !io::stderr().is_terminal() {
            return Self::Log { logged: Moment::now() };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        // The template is valid, so the default style is never used.
        bar.set_style(
            ProgressStyle::with_template(BAR).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Self::Bar(bar)
    }

    pub(super) fn update(&mut self, progress: &RunProgress<'_>) {
        let RunProgress { conversations, tally, .. } = progress;
        let (finished, failed) = (tally.finished, tally.failed);
        match self {
            Self::Bar(bar) => {
                bar.set_length(*conversations as u64);
                bar.set_position(finished as u64);
                if failed > 0 {
                    bar.set_message(format!(", {failed} failed"));
                }
                if finished == *conversations {
                    bar.finish_and_clear();
                }
            }
            Self::Log { logged } => {
                let is_end = finished == *conversations;
                if is_end || logged.age() >= LOG_INTERVAL {
                    *logged = Moment::now();
                    tracing::info!("{finished} of {conversations} conversations, {failed} failed");
                }
            }
        }
    }
}
