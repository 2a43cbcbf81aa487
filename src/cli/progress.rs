//! The progress of long work.

use std::{
    io::{self, IsTerminal},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::base::{clock::Moment, environment::Environment, text::count};

/// Time between two log lines.
const LOG_INTERVAL: Duration = Duration::from_secs(5);

/// Shows the progress of long work: a bar on a terminal, or else lines in the log.
pub(super) struct Progress {
    /// What one unit of the work is.
    noun: &'static str,
    display: Display,
}

enum Display {
    Bar(ProgressBar),
    Log {
        /// When the latest line was logged.
        logged: Moment,
    },
}

impl Progress {
    pub(super) fn new(environment: &Environment, noun: &'static str) -> Self {
        let is_dumb = environment.get("TERM").is_none_or(|term| term == "dumb");
        if is_dumb || !io::stderr().is_terminal() {
            return Self { noun, display: Display::Log { logged: Moment::now() } };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let template =
            format!("{{bar:40}} {{pos}}/{{len}} {noun}s, {{per_sec}}, {{eta}} left{{msg}}");
        // The template is valid, so the default style is never used.
        bar.set_style(
            ProgressStyle::with_template(&template)
                .unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Self { noun, display: Display::Bar(bar) }
    }

    /// Shows how much of the work has ended.
    pub(super) fn update(&mut self, finished: usize, all: usize, failed: usize) {
        match &mut self.display {
            Display::Bar(bar) => {
                bar.set_length(all as u64);
                bar.set_position(finished as u64);
                if failed > 0 {
                    bar.set_message(format!(", {failed} failed"));
                }
                if finished == all {
                    bar.finish_and_clear();
                }
            }
            Display::Log { logged } => {
                let is_end = finished == all;
                if is_end || logged.age() >= LOG_INTERVAL {
                    *logged = Moment::now();
                    let all = count(all, self.noun);
                    tracing::info!("{finished} of {all}, {failed} failed");
                }
            }
        }
    }
}
