//! A participant that replays a recorded one.

use super::PlannedParticipant;
use crate::participants::Script;

/// Plans a participant that says what the recorded one said.
pub(super) fn replay() -> PlannedParticipant {
    let planned = PlannedParticipant::new(|role, start| {
        let recorded = start.recorded.ok_or("there is no recorded conversation to replay")?;
        Ok(Box::new(Script::replay(role, recorded)))
    });
    PlannedParticipant { is_replay: true, ..planned }
}
