//! The wall-clock times of a run.

use std::{path::Path, time::Duration};

use mynah_core::base::clock::Moment;
use serde::Serialize;

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

#[derive(Serialize)]
struct TimingsFile<'a> {
    resumed: usize,
    played: usize,
    in_flight: usize,
    seconds: f64,
    conversations_per_second: f64,
    conversation_seconds: ConversationSeconds,
    slowest: Vec<SlowConversation<'a>>,
}

#[derive(Serialize)]
struct ConversationSeconds {
    min: f64,
    mean: f64,
    max: f64,
}

#[derive(Serialize)]
struct SlowConversation<'a> {
    id: &'a str,
    seconds: f64,
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
        let seconds = self.start.age().as_secs_f64();
        let played = self.played as f64;
        let of = |time: Option<Duration>| time.unwrap_or_default().as_secs_f64();
        let slow = |(time, id): &'_ (Duration, String)| (time.as_secs_f64(), id.clone());
        let slowest: Vec<_> = self.slowest.iter().map(slow).collect();
        let timings = TimingsFile {
            resumed: self.resumed,
            played: self.played,
            in_flight: self.in_flight,
            seconds,
            conversations_per_second: if seconds > 0.0 { played / seconds } else { 0.0 },
            conversation_seconds: ConversationSeconds {
                min: of(self.fastest),
                mean: if self.played > 0 { self.total.as_secs_f64() / played } else { 0.0 },
                max: of(self.slowest.first().map(|(time, _)| *time)),
            },
            slowest: slowest
                .iter()
                .map(|(seconds, id)| SlowConversation { id, seconds: *seconds })
                .collect(),
        };
        write_file(&folder.join(TIMINGS), |target| {
            Ok(serde_json::to_writer_pretty(target, &timings)?)
        })
    }
}
