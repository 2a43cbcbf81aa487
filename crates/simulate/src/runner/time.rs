//! The time of a conversation.

use std::time::Duration;

use jiff::Timestamp;
use mynah_core::base::clock::{self, Moment};

use super::{BaseTimestamp, Clock};

/// The time of a conversation: virtual, or that of the clock.
pub(super) struct Time {
    pub(super) clock: Clock,
    /// The virtual time, or the real time at the start.
    base: Timestamp,
    pub(super) started: Moment,
    /// The real time that turns have taken since the latest message. Judges do not count.
    silence: Duration,
}

impl Time {
    pub(super) fn start(clock: Clock, base: BaseTimestamp) -> Self {
        let base = match (clock, base) {
            (Clock::Virtual, BaseTimestamp::At(time)) => time,
            (Clock::Virtual, BaseTimestamp::Now) | (Clock::Real, _) => clock::timestamp(),
        };
        Self { clock, base, started: Moment::now(), silence: Duration::ZERO }
    }

    /// Returns the current time. Real time has milliseconds and never goes back.
    pub(super) fn now(&self) -> Timestamp {
        match self.clock {
            Clock::Virtual => self.base,
            Clock::Real => {
                let now = after(self.base, self.started.age());
                Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
            }
        }
    }

    /// Lets the time pass that a message takes to write, and ends the silence.
    pub(super) async fn write(&mut self, typing: Duration) {
        match self.clock {
            Clock::Virtual => self.base = after(self.base, typing),
            Clock::Real => clock::pause(typing).await,
        }
        self.silence = Duration::ZERO;
    }

    /// Adds the real time of a turn that began at a moment to the silence.
    pub(super) fn end_turn(&mut self, began: Moment) {
        if self.clock == Clock::Real {
            self.silence = self.silence.saturating_add(began.age());
        }
    }

    /// Returns how much longer the silence may last.
    pub(super) fn silence_left(&self, timeout: Option<Duration>) -> Option<Duration> {
        timeout.map(|timeout| timeout.saturating_sub(self.silence))
    }

    /// Returns how long a turn may take. In virtual time, only writing takes time.
    pub(super) fn turn_limit(&self, timeout: Option<Duration>) -> Option<Duration> {
        self.silence_left(timeout).filter(|_| self.clock == Clock::Real)
    }
}

fn after(time: Timestamp, duration: Duration) -> Timestamp {
    time.checked_add(duration).unwrap_or(Timestamp::MAX)
}
