//! The component type `conversation.echo`.

use std::sync::Arc;

use super::{
    kind::{Configured, Kind, one_of, parse_bool},
    scripted::{Fallback, ScriptedSpec, by_script, on_exhausted_in, stand_in_fallback},
};
use crate::{
    base::duration,
    component::{
        context::Context,
        report::Report,
        settings::Metadata,
        spec::{ComponentSpec, ProviderSpec},
    },
    pii::Scrubber,
    provider::{
        Provider,
        echo::{ArgumentStyle, Echo, EchoSettings, Mode, Optional},
        faults::Faults,
        scripted::{
            Rules, ScriptedSettings,
            rules::{RuleSources, SessionRules},
        },
        stream::StreamOptions,
    },
};

const ARGUMENTS: [(&str, ArgumentStyle); 2] =
    [("schema", ArgumentStyle::Schema), ("literal", ArgumentStyle::Literal)];

const OPTIONAL: [(&str, Optional); 2] = [("fill", Optional::Fill), ("omit", Optional::Omit)];

pub(super) const KIND: Kind = Kind {
    name: "conversation.echo",
    keys: &["mode", "model", "chunkDelay", "arguments", "optional", "chains"],
    read,
};

/// Returns the component that mynah serves if no resources paths are set.
pub fn built_in() -> ComponentSpec {
    built_in_with(None, &Context::default())
}

/// Returns the built-in component, which follows the `rules`.
pub(crate) fn built_in_with(rules: Option<Arc<Rules>>, context: &Context) -> ComponentSpec {
    ComponentSpec {
        name: "echo".to_owned(),
        kind: KIND.name.to_owned(),
        version: "v1".to_owned(),
        scrubber: Scrubber::default(),
        faults: Faults::default(),
        has_strict_history: false,
        provider: with_rules(
            EchoSettings::default(),
            Fallback::default_in(context),
            rules,
            context,
        ),
        tools: None,
        fallback: None,
        stand_in: None,
        is_of_daprd: false,
    }
}

/// Reads metadata that was written for another provider. Only a literal `model` is used, and with rules
/// also `fallback`.
pub(super) fn stand_in(metadata: &Metadata<'_>) -> Arc<dyn ProviderSpec> {
    let defaults = EchoSettings::default();
    let model = metadata.literal("model").unwrap_or(defaults.model);
    let (fallback, rules) = (stand_in_fallback(metadata), metadata.shared_rules.cloned());
    with_rules(EchoSettings { model, ..defaults }, fallback, rules, metadata.context)
}

/// Returns the settings of the scripts that an echo follows.
fn script_settings(echo: &EchoSettings) -> ScriptedSettings {
    let (chains, model, stream) = (echo.chains, echo.model.clone(), echo.stream);
    ScriptedSettings { chains, model, stream, ..ScriptedSettings::default() }
}

/// Returns an echo with rules. The fallback answers the requests which match no rule.
fn with_rules(
    echo: EchoSettings,
    fallback: Fallback,
    rules: Option<Arc<Rules>>,
    context: &Context,
) -> Arc<dyn ProviderSpec> {
    // Without rules of its own, a strict component can still follow those of sessions.
    if rules.is_none() && !context.strict {
        return Arc::new(echo);
    }
    let on_exhausted = on_exhausted_in(context);
    let settings = ScriptedSettings { on_exhausted, ..script_settings(&echo) };
    Arc::new(ScriptedSpec { settings, fallback, rules })
}

fn read(metadata: &Metadata<'_>, report: &mut Report) -> Configured {
    let defaults = EchoSettings::default();
    let chunk_delay = metadata.parse("chunkDelay", duration::parse, report);
    let settings = EchoSettings {
        mode: metadata
            .parse("mode", one_of([("mynah", Mode::Mynah), ("daprd", Mode::Daprd)]), report)
            .unwrap_or(defaults.mode),
        model: metadata.text("model", report).unwrap_or(defaults.model),
        stream: StreamOptions {
            chunk_delay: chunk_delay.unwrap_or_default(),
            ..StreamOptions::default()
        },
        arguments: metadata
            .parse("arguments", one_of(ARGUMENTS), report)
            .unwrap_or(defaults.arguments),
        optional: metadata.parse("optional", one_of(OPTIONAL), report).unwrap_or(defaults.optional),
        chains: metadata.parse("chains", parse_bool, report).unwrap_or(defaults.chains),
    };
    Configured { provider: Arc::new(settings), fallback: None }
}

impl ProviderSpec for EchoSettings {
    fn model(&self) -> Option<&str> {
        Some(&self.model)
    }

    fn limits_tokens(&self) -> bool {
        self.mode == Mode::Mynah
    }

    fn build(
        &self,
        name: &str,
        _fallback: Option<Arc<dyn Provider>>,
        session_rules: &Arc<SessionRules>,
    ) -> Arc<dyn Provider> {
        let echo = Arc::new(Echo::new(name, self.clone()));
        let rules = RuleSources { component: None, sessions: session_rules.clone() };
        by_script(name, script_settings(self), rules, Some(echo))
    }

    fn echo(&self, name: &str) -> Option<Echo> {
        Some(Echo::new(name, self.clone()))
    }

    fn script(&self) -> Option<ScriptedSettings> {
        self.chains.then(|| script_settings(self))
    }
}
