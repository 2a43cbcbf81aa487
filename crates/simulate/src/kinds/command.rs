//! `command`: a participant that is a program.

use std::sync::Arc;

use mynah_agent::tools::Argv;

use super::planned::{Kind, PlannedParticipant};
use crate::{participants::CommandParticipant, plan::Checker};

impl Kind for Argv {
    fn check(self: Box<Self>, _: &str, _: &mut Checker<'_>) -> Option<PlannedParticipant> {
        let argv: Arc<Self> = self.into();
        let planned = PlannedParticipant::new(move |role, _| {
            Ok(Box::new(CommandParticipant::run(role, argv.clone())))
        });
        Some(planned.external())
    }
}
