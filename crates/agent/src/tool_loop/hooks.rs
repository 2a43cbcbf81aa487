//! Hooks that decide about calls before they run.

use std::{fmt, future::Future, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;

use super::{ToolContext, ToolOutput, panics::catch_panic};

/// A call that is about to run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct UpcomingCall {
    /// Name of the tool.
    pub name: String,
    /// Arguments of the call, which are valid against the tool's schema.
    pub arguments: Value,
    /// The context that the tool receives.
    pub context: ToolContext,
}

/// The decision of a hook about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallDecision {
    /// Run the call, unless a later hook decides otherwise.
    Run,
    /// Do not run the call. The model receives this text as the tool's error.
    Refuse(String),
    /// Do not run the call. The model receives this result.
    Replace(ToolOutput),
}

type Hook = dyn Fn(UpcomingCall) -> BoxFuture<'static, CallDecision> + Send + Sync;

/// Hooks, in the order in which they are asked.
#[derive(Clone, Default)]
pub(super) struct Hooks(Vec<Arc<Hook>>);

impl Hooks {
    pub(super) fn push<W>(&mut self, hook: impl Fn(UpcomingCall) -> W + Send + Sync + 'static)
    where
        W: Future<Output = CallDecision> + Send + 'static,
    {
        self.0.push(Arc::new(move |call| hook(call).boxed()));
    }

    /// Asks the hooks one after another, until one decides that the call does not run. A hook that
    /// panics refuses the call.
    pub(super) async fn decide(&self, call: impl Fn() -> UpcomingCall) -> CallDecision {
        for hook in &self.0 {
            match catch_panic(async { hook(call()).await }).await {
                Ok(CallDecision::Run) => {}
                Ok(decision) => return decision,
                Err(panic) => return CallDecision::Refuse(format!("a hook panicked: {panic}")),
            }
        }
        CallDecision::Run
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} hooks", self.0.len())
    }
}
