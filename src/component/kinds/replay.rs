//! Components of any type that answer from a recording.

use std::{path::Path, sync::Arc};

use super::{scripted::by_script, upstream::UpstreamModel};
use crate::{
    component::{context::OnMissed, report::Report, rules, settings::Metadata, spec::ProviderSpec},
    provider::{
        Provider,
        echo::{Echo, EchoSettings},
        scripted::{
            Rules, ScriptedSettings,
            recordings::file_name,
            rules::{Missed, RuleSources, SessionRules},
        },
    },
};

/// The settings of a component that answers from a recording.
#[derive(Debug, PartialEq, Eq)]
struct ReplaySpec {
    settings: ScriptedSettings,
    /// The recording, with the shared rules before it. `None` if there is none.
    rules: Option<Arc<Rules>>,
    missed: MissedSpec,
}

/// What answers requests that are not recorded.
#[derive(Debug, PartialEq, Eq)]
enum MissedSpec {
    /// An error, which names the file.
    Error(Arc<str>),
    /// Instruction chains, or else echo.
    Fallback,
    /// The model.
    Upstream(UpstreamModel),
}

/// Reads the recording of a component. If no model is called, only a literal `model` of the metadata is
/// used. Returns `None` after an error.
pub(super) fn replay(
    folder: &Path,
    missed: &OnMissed,
    metadata: &Metadata<'_>,
    report: &mut Report,
) -> Option<Arc<dyn ProviderSpec>> {
    let name = metadata.manifest.name.as_ref().map_or("", |name| &name.text);
    let file = folder.join(file_name(name));
    let missed = match missed {
        OnMissed::Error => MissedSpec::Error(file.display().to_string().into()),
        OnMissed::Fallback => MissedSpec::Fallback,
        OnMissed::Upstream(upstream) => {
            MissedSpec::Upstream(UpstreamModel::read(upstream, metadata, report)?)
        }
    };
    let defaults = ScriptedSettings::default();
    let settings = ScriptedSettings {
        // A recorded prompt may look like a chain.
        chains: missed == MissedSpec::Fallback,
        allow_unoffered: true,
        model: metadata.literal("model").unwrap_or(defaults.model),
        ..defaults
    };
    let rules = rules::read_recording(&file, metadata, report);
    Some(Arc::new(ReplaySpec { settings, rules, missed }))
}

impl ProviderSpec for ReplaySpec {
    fn build(
        &self,
        name: &str,
        _fallback: Option<Arc<dyn Provider>>,
        session_rules: &Arc<SessionRules>,
    ) -> Arc<dyn Provider> {
        let settings = self.settings.clone();
        let rules = RuleSources { component: self.rules.clone(), sessions: session_rules.clone() };
        let missed: Arc<dyn Provider> = match &self.missed {
            MissedSpec::Error(file) => {
                Arc::new(Missed::new(name, settings.clone(), rules.clone(), file.clone()))
            }
            MissedSpec::Fallback => {
                let model = settings.model.clone();
                Arc::new(Echo::new(name, EchoSettings { model, ..EchoSettings::default() }))
            }
            MissedSpec::Upstream(model) => model.provider(name),
        };
        by_script(name, settings, rules, Some(missed))
    }

    fn rules(&self) -> Option<&Arc<Rules>> {
        self.rules.as_ref()
    }

    fn model(&self) -> Option<&str> {
        Some(&self.settings.model)
    }

    fn script(&self) -> Option<ScriptedSettings> {
        Some(self.settings.clone())
    }

    fn answered_by(&self) -> Option<&'static str> {
        Some(match self.missed {
            MissedSpec::Error(_) => "its recording",
            MissedSpec::Fallback => "its recording, or chains and echo",
            MissedSpec::Upstream(_) => "its recording, or its model",
        })
    }

    fn may_answer_all(&self) -> bool {
        true
    }
}
