//! Says whether an instruction chain answers a request. Counts nothing.

use std::sync::Arc;

use mynah_core::{chat::Request, provider::counters::Counters};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Scripted, ScriptedSettings,
    chains::{CallCounters, without_chains},
};

/// The instruction chain that answers a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExplainedChain {
    /// The number of the message with the chain, starting at 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<usize>,
    /// The number of the step, starting at 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The error with which the call fails, if the chain is malformed, invalid or exhausted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What the instruction chains in a prompt do with a request.
#[derive(Debug)]
pub enum ChainOutcome {
    /// There is no chain.
    Absent,
    /// A chain answers, or the call fails because of it.
    Answers(ExplainedChain),
    /// The chain is exhausted, and the fallback gets the request without it.
    PassesOn(Arc<Request>),
}

impl ChainOutcome {
    /// Explains a call of a component with these settings.
    pub fn of_call(
        component: &str,
        settings: &ScriptedSettings,
        request: &Arc<Request>,
        session: &str,
        counters: &Counters,
    ) -> Self {
        let scripted = Scripted::new(component, settings.clone(), None);
        let active = match scripted.active_chain(request, None) {
            Ok(None) => return Self::Absent,
            Ok(Some(active)) => active,
            Err(error) => return Self::failure(None, error.message),
        };
        let message = Some(active.message);
        let counters = CallCounters { counters, session, component, is_explained: true };
        match scripted.next_step(&active, request, None, &counters) {
            Ok(Some(step)) => {
                let step = Some(step.number);
                Self::Answers(ExplainedChain { message, step, error: None })
            }
            Ok(None) => Self::PassesOn(without_chains(request)),
            Err(error) => Self::failure(message, error.message),
        }
    }

    fn failure(message: Option<usize>, error: String) -> Self {
        Self::Answers(ExplainedChain { message, step: None, error: Some(error) })
    }
}
