//! The wall-clock times of a run.

use std::{path::Path, time::Duration};

use mynah_core::base::clock::Moment;
use serde_json::json;

use super::{error::RunError, store::write_file};

/// Name of the file with the times.
const TIMINGS: &str = "timings.json";
/// How many of the slowest conversations are listed.
const SLOWEST: usize = 10;

/// Measures a run.
pub(super) struct Timings {
    start: Moment,
    resumed: usize,
    in_flight: usize,
    played: usize,
    total: Duration,
    fastest: Option<Duration>,
    /// The slowest conversation first.
    slowest: Vec<(Duration, String)>,
}

impl Timings {
    pub(super) fn start(resumed: usize, in_flight: usize) -> Self {
        let (start, total) = (Moment::now(), Duration::ZERO);
        Self { start, resumed, in_flight, played: 0, total, fastest: None, slowest: Vec::new() }
    }

    /// Adds a conversation.
    pub(super) fn add(&mut self, id: &str, time: Duration) {
        self.played += 1;
        self.total += time;
        self.fastest = Some(self.fastest.map_or(time, |fastest| fastest.min(time)));
        let position = self.slowest.partition_point(|(slower, _)| *slower >= time);
        if position < SLOWEST {
            self.slowest.insert(position, (time, id.to_owned()));
            self.slowest.truncate(SLOWEST);
        }
    }

    /// Writes the times to a folder.
    pub(super) fn write(&self, folder: &Path) -> Result<(), RunError> {
        let Self { start, resumed, in_flight, played, total, .. } = self;
        let seconds = start.age().as_secs_f64();
        let slow =
            |(time, id): &(Duration, String)| json!({ "id": id, "seconds": time.as_secs_f64() });
        let timings = json!({
            "resumed": resumed,
            "played": played,
            "in_flight": in_flight,
            "seconds": seconds,
            "conversations_per_second": ratio(*played as f64, seconds),
            "conversation_seconds": {
                "min": self.fastest.unwrap_or_default().as_secs_f64(),
                "mean": ratio(total.as_secs_f64(), *played as f64),
                "max": self.slowest.first().map_or(0.0, |(time, _)| time.as_secs_f64()),
            },
            "slowest": self.slowest.iter().map(slow).collect::<Vec<_>>(),
        });
        write_file(&folder.join(TIMINGS), |target| {
            Ok(serde_json::to_writer_pretty(target, &timings)?)
        })
    }
}

/// Returns 0 if there is nothing to divide by.
fn ratio(value: f64, by: f64) -> f64 {
    if by > 0.0 { value / by } else { 0.0 }
}
