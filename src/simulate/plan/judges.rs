//! The models of a plan that judge conversations.

use std::{sync::Arc, time::Duration};

use super::{models, report::Report, resources::Resources};
use crate::simulate::{JudgeModel, Model, file::JudgeSource};

/// A model that judges conversations.
#[derive(Clone)]
pub(super) struct PlannedJudge {
    pub(super) model: Arc<dyn Model>,
    pub(super) instructions: Option<String>,
}

/// Checks a judge, which is at a path in the file.
pub(super) fn plan(
    source: Option<JudgeSource>,
    path: &str,
    resources: &mut Resources<'_>,
    report: &mut Report<'_>,
) -> Option<PlannedJudge> {
    let JudgeSource { model, instructions } = source?;
    let model = models::plan(model, path, resources, report)?;
    Some(PlannedJudge { model, instructions })
}

impl PlannedJudge {
    /// Returns the judge of a conversation, which shares no state with those of others.
    pub(super) fn build(&self, conversation_id: &str, time_limit: Duration) -> JudgeModel {
        let judge = JudgeModel::new(self.model.provider()).session(conversation_id);
        let judge = judge.time_limit(time_limit).external(self.model.is_external());
        match &self.instructions {
            Some(instructions) => judge.instructions(instructions),
            None => judge,
        }
    }
}
