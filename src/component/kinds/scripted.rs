//! The component type `conversation.scripted`.

use std::{num::NonZeroUsize, sync::Arc};

use super::kind::{Configured, Kind, one_of, parse_bool};
use crate::{
    base::duration,
    chat::ChunkSize,
    component::{
        context::Context,
        report::Report,
        rules,
        settings::{Metadata, ResolvedValue},
        spec::ProviderSpec,
    },
    provider::{
        Provider,
        echo::{Echo, EchoSettings},
        scripted::{
            OnExhausted, OnMalformed, RuleProvider, Rules, Scripted, ScriptedSettings,
            rules::{RuleSources, SessionRules, Unmatched},
        },
        stream::StreamOptions,
    },
};

const ON_EXHAUSTED: [(&str, OnExhausted); 5] = [
    ("message", OnExhausted::Message),
    ("fallback", OnExhausted::Fallback),
    ("error", OnExhausted::Error),
    ("repeat_last", OnExhausted::RepeatLast),
    ("loop", OnExhausted::Loop),
];
const ON_MALFORMED: [(&str, OnMalformed); 2] =
    [("error", OnMalformed::Error), ("fallback", OnMalformed::Fallback)];

pub(super) const KIND: Kind = Kind {
    name: "conversation.scripted",
    keys: &[
        "chains",
        "fallback",
        "onExhausted",
        "onMalformed",
        "allowUnoffered",
        "model",
        "wordsPerChunk",
        "chunkDelay",
        "timeToFirstChunk",
        rules::KEY,
    ],
    read,
};

/// The settings of a scripted component.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ScriptedSpec {
    pub(crate) settings: ScriptedSettings,
    pub(crate) fallback: Fallback,
    pub(crate) rules: Option<Arc<Rules>>,
}

/// The answer to a request without a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fallback {
    /// An echo with the same model and stream options.
    Echo,
    /// An error.
    Error,
    /// The answer of another component.
    Component,
}

impl Fallback {
    /// Returns the fallback of components that have none of their own.
    pub(super) fn default_in(context: &Context) -> Self {
        if context.strict { Self::Error } else { Self::Echo }
    }
}

fn read(metadata: &Metadata<'_>, report: &mut Report) -> Configured {
    let defaults = ScriptedSettings::default();
    let settings = ScriptedSettings {
        chains: metadata.parse("chains", parse_bool, report).unwrap_or(defaults.chains),
        on_exhausted: metadata
            .parse("onExhausted", one_of(ON_EXHAUSTED), report)
            .unwrap_or_else(|| on_exhausted_in(metadata.context)),
        on_malformed: metadata
            .parse("onMalformed", one_of(ON_MALFORMED), report)
            .unwrap_or_default(),
        allow_unoffered: metadata
            .parse("allowUnoffered", parse_bool, report)
            .unwrap_or(defaults.allow_unoffered),
        model: metadata.text("model", report).unwrap_or(defaults.model),
        stream: read_stream_options(metadata, report),
    };
    let (fallback, component) = read_fallback(metadata, report);
    let rules = rules::read(metadata, report);
    let provider = Arc::new(ScriptedSpec { settings, fallback, rules });
    Configured { provider, fallback: component }
}

/// Reads metadata that was written for another provider. Only a literal `model` and `fallback` are used.
pub(super) fn stand_in(metadata: &Metadata<'_>) -> ScriptedSpec {
    let defaults = ScriptedSettings::default();
    let model = metadata.literal("model").unwrap_or(defaults.model);
    let on_exhausted = on_exhausted_in(metadata.context);
    let settings = ScriptedSettings { model, on_exhausted, ..defaults };
    let (fallback, rules) = (stand_in_fallback(metadata), metadata.shared_rules.cloned());
    ScriptedSpec { settings, fallback, rules }
}

/// Returns the fallback of a stand-in. Other values may have a meaning for the provider that they were
/// written for.
pub(super) fn stand_in_fallback(metadata: &Metadata<'_>) -> Fallback {
    match metadata.literal("fallback").as_deref() {
        Some("echo") => Fallback::Echo,
        Some("error") => Fallback::Error,
        _ => Fallback::default_in(metadata.context),
    }
}

/// Returns what answers after the last step of chains for which the component does not say it.
pub(super) fn on_exhausted_in(context: &Context) -> OnExhausted {
    if context.strict { OnExhausted::Error } else { OnExhausted::default() }
}

fn read_stream_options(metadata: &Metadata<'_>, report: &mut Report) -> StreamOptions {
    let mut delay = |key| metadata.parse(key, duration::parse, report).unwrap_or_default();
    let (chunk_delay, time_to_first_chunk) = (delay("chunkDelay"), delay("timeToFirstChunk"));
    let words = metadata.parse("wordsPerChunk", parse_words, report);
    StreamOptions {
        chunk_size: words.map(ChunkSize::Words).unwrap_or_default(),
        chunk_delay,
        time_to_first_chunk,
    }
}

fn read_fallback(
    metadata: &Metadata<'_>,
    report: &mut Report,
) -> (Fallback, Option<ResolvedValue>) {
    let Some(value) = metadata.value("fallback", report) else {
        return (Fallback::default_in(metadata.context), None);
    };
    match value.text.as_str() {
        "echo" => (Fallback::Echo, None),
        "error" => (Fallback::Error, None),
        _ => (Fallback::Component, Some(value)),
    }
}

fn parse_words(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| format!("{text:?} is not a valid number of words; use 1 or more"))
}

/// Returns the provider that answers by instruction chains, if it follows any, then by rules, and else
/// by its fallback.
pub(super) fn by_script(
    name: &str,
    settings: ScriptedSettings,
    rules: RuleSources,
    fallback: Option<Arc<dyn Provider>>,
) -> Arc<dyn Provider> {
    let unmatched = || Arc::new(Unmatched::new(name, settings.clone(), rules.clone())) as _;
    let fallback = fallback.unwrap_or_else(unmatched);
    let by_rules = Arc::new(RuleProvider::new(name, settings.clone(), rules, fallback));
    if !settings.chains {
        return by_rules;
    }
    // The chain in the prompt goes first: the test wrote it into this very request.
    Arc::new(Scripted::new(name, settings, Some(by_rules)))
}

impl ProviderSpec for ScriptedSpec {
    fn rules(&self) -> Option<&Arc<Rules>> {
        self.rules.as_ref()
    }

    fn build(
        &self,
        name: &str,
        component: Option<Arc<dyn Provider>>,
        session_rules: &Arc<SessionRules>,
    ) -> Arc<dyn Provider> {
        let Self { settings, fallback, rules } = self;
        let mut settings = settings.clone();
        let fallback = match fallback {
            Fallback::Echo => self.echo(name).map(|echo| Arc::new(echo) as _),
            Fallback::Error => None,
            Fallback::Component => component,
        };
        // What answers nothing is nothing to fall back to.
        let has_nothing_else = fallback.is_none() && rules.is_none();
        if has_nothing_else && settings.on_exhausted == OnExhausted::Fallback {
            settings.on_exhausted = OnExhausted::Error;
        }
        let rules = RuleSources { component: rules.clone(), sessions: session_rules.clone() };
        by_script(name, settings, rules, fallback)
    }

    fn model(&self) -> Option<&str> {
        Some(&self.settings.model)
    }

    fn echo(&self, name: &str) -> Option<Echo> {
        let (model, stream) = (self.settings.model.clone(), self.settings.stream);
        let settings = EchoSettings { model, stream, ..EchoSettings::default() };
        (self.fallback == Fallback::Echo).then(|| Echo::new(name, settings))
    }

    fn script(&self) -> Option<ScriptedSettings> {
        Some(self.settings.clone())
    }

    fn may_answer_all(&self) -> bool {
        self.rules.is_some()
    }

    fn passes_on_chains(&self) -> bool {
        !self.settings.chains
    }
}
