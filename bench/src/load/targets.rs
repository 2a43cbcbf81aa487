//! What mynah is to keep.

use mynah_bench::cases::Case;

use crate::program::Program;

/// Most milliseconds from exec to the first answer.
pub(crate) const FIRST_ANSWER: f64 = 6.0;
/// Most MiB before the first call, and with 256 calls in flight.
pub(crate) const IDLE: f64 = 8.0;
pub(crate) const IN_FLIGHT: f64 = 20.0;
/// Where the interval of a server beside itself goes further than this from 1, other programs keep
/// the machine too busy for any time to be trusted.
pub(crate) const NOISE: f64 = 0.05;

/// A bound of a ratio.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    AtMost(f64),
    AtLeast(f64),
}

impl Target {
    pub(crate) fn is_met(self, ratio: f64) -> bool {
        match self {
            Self::AtMost(most) => ratio <= most,
            Self::AtLeast(least) => ratio >= least,
        }
    }
}

/// What a call of mynah may cost, as a multiple of the same call of another program: processor
/// time, and instructions beside a bare server.
pub(crate) fn cost(beside: Program, case: Case) -> Target {
    Target::AtMost(match (beside, case) {
        (Program::Hello, _) => 0.55,
        (Program::Daprd, _) => 1.0 / 6.0,
        (_, Case::Short) => 1.1,
        (_, Case::Tools) => 1.5,
        (_, Case::History) => 1.15,
        (_, Case::Stream) => 1.2,
        (_, Case::HistoryWithTools | Case::Json) => 1.6,
    })
}

/// How many calls a second mynah is to answer, as a multiple, where that is asked.
pub(crate) fn rate(beside: Program) -> Option<Target> {
    (beside == Program::Hello).then_some(Target::AtLeast(1.7))
}
