//! A participant that is a program.

use std::sync::Arc;

use mynah_agent::tools::Argv;

use super::PlannedParticipant;
use crate::participants::CommandParticipant;

/// Plans a participant that is a program.
pub(super) fn command(argv: Argv) -> PlannedParticipant {
    let argv = Arc::new(argv);
    let planned = PlannedParticipant::new(move |role, _| {
        Ok(Box::new(CommandParticipant::run(role, argv.clone())))
    });
    PlannedParticipant { is_external: true, ..planned }
}
