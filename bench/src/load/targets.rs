//! mynah's performance targets.

use mynah_bench::cases::Case;

use crate::program::Program;

/// The maximum time from exec to the first answer, in milliseconds.
pub(crate) const FIRST_ANSWER: f64 = 6.0;
/// The maximum memory use before the first call, in MiB.
pub(crate) const IDLE: f64 = 8.0;
/// The maximum memory use with 256 calls in flight, in MiB.
pub(crate) const IN_FLIGHT: f64 = 20.0;
/// If a server is compared with itself and the interval extends more than this from 1, the machine
/// is too busy for reliable times.
pub(crate) const NOISE: f64 = 0.03;

/// A bound on a figure.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    AtMost(f64),
    AtLeast(f64),
}

impl Target {
    pub(crate) fn is_met(self, figure: f64) -> bool {
        match self {
            Self::AtMost(max) => figure <= max,
            Self::AtLeast(min) => figure >= min,
        }
    }
}

/// Returns the target for mynah's processor time for a call divided by another program's, if there is
/// one.
pub(crate) fn cost(other: Program, case: Case) -> Option<Target> {
    Some(Target::AtMost(match (other, case) {
        (Program::Hello, _) => 0.55,
        (Program::Daprd, _) => 1.0 / 6.0,
        (_, Case::FortyTools) => 1.0,
        (_, Case::Short | Case::Question | Case::History | Case::Stream) => 1.2,
        (_, Case::Numbers) => 1.3,
        (_, Case::OpenAi) => 1.4,
        (_, Case::Json) => 1.6,
        (_, Case::Mention) => 2.0,
        // Few applications send such a message. No other program has sessions, or tools of its own.
        (_, Case::Prose | Case::Sessions | Case::OwnTools) => return None,
    }))
}

/// Returns the target for mynah's calls per second divided by another program's, if there is one.
pub(crate) fn rate(other: Program) -> Option<Target> {
    (other == Program::Hello).then_some(Target::AtLeast(1.7))
}
