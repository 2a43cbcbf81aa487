//! `replay`: a participant that says what the recorded one said.

use super::planned::{Kind, PlannedParticipant};
use crate::{participants::Script, plan::Checker};

#[derive(Debug)]
pub(super) struct Replay;

impl Kind for Replay {
    fn check(self: Box<Self>, _: &str, _: &mut Checker<'_>) -> Option<PlannedParticipant> {
        let planned = PlannedParticipant::new(|role, start| {
            let recorded = start.recorded.ok_or("there is no recorded conversation to replay")?;
            Ok(Box::new(Script::replay(role, recorded)))
        });
        Some(PlannedParticipant { is_replay: true, ..planned })
    }
}
