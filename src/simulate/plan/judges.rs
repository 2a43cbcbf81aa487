//! The models of a plan that judge conversations.

use std::sync::Arc;

use super::{
    build::Shared,
    models::{self, PlannedModel},
    report::Report,
    resources::Resources,
};
use crate::{
    provider::Provider,
    simulate::{JudgeModel, file::JudgeSource},
    tool_loop::OwnerMetrics,
};

/// A model that judges conversations.
#[derive(Clone)]
pub(super) struct PlannedJudge {
    pub(super) model: PlannedModel,
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
    pub(super) fn build(&self, conversation_id: &str, shared: &Shared) -> JudgeModel {
        let judge = JudgeModel::new(self.provider(&shared.metrics)).session(conversation_id);
        let judge = judge.time_limit(shared.message_timeout).external(self.model.is_external());
        match &self.instructions {
            Some(instructions) => judge.instructions(instructions),
            None => judge,
        }
    }

    /// Returns a model of its own.
    pub(super) fn provider(&self, metrics: &OwnerMetrics) -> Arc<dyn Provider> {
        self.model.with_tools(metrics)
    }
}
