//! A model of a plan that judges conversations or finds intents.

use std::{sync::Arc, time::Duration};

use crate::{AdversarialTester, JudgeModel, Model};

/// A model that judges conversations or finds intents.
pub(super) struct PlannedJudge {
    pub(super) model: Arc<dyn Model>,
    pub(super) instructions: Option<String>,
    pub(super) time_limit: Duration,
}

impl PlannedJudge {
    /// Returns the judge of a conversation, which shares no state with those of others.
    pub(super) fn build(&self, conversation_id: &str) -> JudgeModel {
        let judge = JudgeModel::new(self.model.provider()).session(conversation_id);
        let judge = judge.time_limit(self.time_limit).external(self.model.is_external());
        self.instructions.iter().fold(judge, JudgeModel::instructions)
    }

    /// Returns what tells simulated conversations from recorded ones.
    pub(super) fn adversarial_tester(&self) -> AdversarialTester {
        let model = self.model.clone();
        let tester = AdversarialTester::new(move || model.provider());
        let tester = tester.with_time_limit(self.time_limit);
        self.instructions.iter().fold(tester, AdversarialTester::with_instructions)
    }
}
