//! Components whose requests go to a real model.

use std::{fmt, sync::Arc};

use super::{CATEGORY, kind::one_of, scripted::by_script};
use crate::{
    base::{diagnostics::Place, text::nearest},
    component::{
        context::{Upstream, UpstreamApi},
        report::{Report, listed},
        settings::Metadata,
        spec::ProviderSpec,
    },
    provider::{
        Provider,
        scripted::{
            Rules, ScriptedSettings,
            rules::{RuleSources, SessionRules},
        },
    },
    upstream::{DaprdModel, OpenAi, OpenAiSettings, RecordedProvider, Recorder, RedactedProvider},
};

/// A component type that is OpenAI's API with another address. Source:
/// <https://docs.dapr.io/reference/components-reference/supported-conversation/>.
struct Service {
    /// The type without its category.
    name: &'static str,
    endpoint: &'static str,
    /// The variable that replaces the model in the metadata.
    model_variable: &'static str,
    model: &'static str,
    /// The key if the metadata has none.
    key: Option<&'static str>,
}

const SERVICES: [Service; 6] = [
    Service {
        name: "openai",
        endpoint: "https://api.openai.com/v1",
        model_variable: "OPENAI_MODEL",
        model: "gpt-5-nano",
        key: None,
    },
    Service {
        name: "ollama",
        endpoint: "http://localhost:11434/v1",
        model_variable: "OLLAMA_MODEL",
        model: "llama3.2:latest",
        key: Some("ollama"),
    },
    Service {
        name: "deepseek",
        endpoint: "https://api.deepseek.com",
        model_variable: "DEEPSEEK_MODEL",
        model: "deepseek-chat",
        key: None,
    },
    Service {
        name: "huggingface",
        endpoint: "https://router.huggingface.co/v1",
        model_variable: "HUGGINGFACE_MODEL",
        model: "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
        key: None,
    },
    Service {
        name: "mistral",
        endpoint: "https://api.mistral.ai/v1",
        model_variable: "MISTRAL_MODEL",
        model: "open-mistral-7b",
        key: None,
    },
    Service {
        name: "googleai",
        endpoint: "https://generativelanguage.googleapis.com/v1beta/openai",
        model_variable: "GOOGLEAI_MODEL",
        model: "gemini-2.5-flash-lite",
        key: None,
    },
];

/// Which API a component of type `conversation.openai` has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ApiType {
    OpenAi,
    Azure,
}

/// The model that Azure has by default, and the variable that replaces the one in the metadata.
const AZURE: (&str, &str) = ("AZURE_OPENAI_MODEL", "gpt-4.1-nano");

/// What is wrong with metadata without a key, and without an endpoint.
const NO_KEY: &str = "missing; add the key of the model to the metadata";
const NO_ENDPOINT: &str = "missing; apiType azure needs one";

/// The metadata that a model of OpenAI's API uses, and that all components with real models do.
const KEYS: [&str; 7] = ["key", "model", "endpoint", "apiType", "apiVersion", "faults", "history"];

/// The metadata that only daprd uses.
const DAPRD_KEYS: [&str; 3] = ["cacheTTL", "responseCacheTTL", "responseFormat"];

/// A real model, and where its answers are recorded.
pub(super) struct UpstreamModel {
    model: Model,
    recorder: Option<Arc<Recorder>>,
}

#[derive(Debug)]
enum Model {
    OpenAi(Arc<OpenAi>),
    Daprd(Arc<DaprdModel>),
}

/// The settings of a component whose requests go to a real model.
#[derive(Debug, PartialEq, Eq)]
struct UpstreamSpec {
    model: UpstreamModel,
    settings: ScriptedSettings,
    /// The rules that answer before the model.
    rules: Option<Arc<Rules>>,
}

/// Reads the settings of a model. Returns `None` after an error.
pub(super) fn upstream(
    upstream: &Upstream,
    metadata: &Metadata<'_>,
    report: &mut Report,
) -> Option<Arc<dyn ProviderSpec>> {
    let model = UpstreamModel::read(upstream, metadata, report)?;
    let defaults = ScriptedSettings::default();
    let name = model.name().map(str::to_owned).or_else(|| metadata.literal("model"));
    let settings = ScriptedSettings { model: name.unwrap_or(defaults.model), ..defaults };
    let rules = metadata.shared_rules.cloned();
    Some(Arc::new(UpstreamSpec { model, settings, rules }))
}

impl UpstreamModel {
    /// Reads the settings of a model. Returns `None` after an error.
    pub(super) fn read(
        upstream: &Upstream,
        metadata: &Metadata<'_>,
        report: &mut Report,
    ) -> Option<Self> {
        let Upstream { api, recorder } = upstream;
        let name = metadata.manifest.name.as_ref().map_or("", |name| &name.text);
        match recorder.as_ref().map(|recorder| recorder.check(name)) {
            Some(Err(errors)) => {
                errors.into_iter().for_each(|error| report.add(error));
                return None;
            }
            Some(Ok(warning)) => warning.into_iter().for_each(|it| report.add(it)),
            None => {}
        }
        let model = match api {
            UpstreamApi::OpenAi => Model::OpenAi(open_ai(metadata, report)?),
            UpstreamApi::Daprd { address, token } => {
                let token = token.as_ref().map(|token| token.0.as_str());
                Model::Daprd(DaprdModel::new(address, name, token).into())
            }
        };
        Some(Self { model, recorder: recorder.clone() })
    }

    /// Returns the provider for the component `name`.
    pub(super) fn provider(&self, name: &str) -> Arc<dyn Provider> {
        let model: Arc<dyn Provider> = match &self.model {
            Model::OpenAi(model) => model.clone(),
            Model::Daprd(model) => model.clone(),
        };
        let model = Arc::new(RedactedProvider(model));
        match &self.recorder {
            Some(recorder) => Arc::new(RecordedProvider::new(name, model, recorder.clone())),
            None => model,
        }
    }

    fn name(&self) -> Option<&str> {
        match &self.model {
            Model::OpenAi(model) => Some(model.name()),
            Model::Daprd(_) => None,
        }
    }
}

fn open_ai(metadata: &Metadata<'_>, report: &mut Report) -> Option<Arc<OpenAi>> {
    let kind = metadata.manifest.kind_text();
    let name = kind.strip_prefix(CATEGORY).unwrap_or_default().to_lowercase();
    let place = metadata.manifest.kind.as_ref().map_or(metadata.manifest.place, |kind| kind.place);
    let Some(service) = SERVICES.iter().find(|service| service.name == name) else {
        let known = SERVICES.each_ref().map(|service| service.name).join(", ");
        let message = format!(
            "--upstream openai cannot call components of type {kind:?}, only conversation.* with one of \
             {known}; use --upstream daprd"
        );
        report.error(place, message);
        return None;
    };
    warn_of_ignored(metadata, report);
    let settings = service.settings(metadata, place, report)?;
    let environment = &metadata.context.environment;
    OpenAi::new(settings, environment)
        .map_err(|error| report.error(place, error))
        .ok()
        .map(Arc::new)
}

/// Warns once of the metadata that only daprd uses.
fn warn_of_ignored(metadata: &Metadata<'_>, report: &mut Report) {
    let is_used = |name: &str| KEYS.iter().any(|key| key.eq_ignore_ascii_case(name));
    let ignored: Vec<_> =
        metadata.manifest.items.iter().filter(|item| !is_used(&item.name)).collect();
    let Some(first) = ignored.first() else { return };
    let with_hint = |name: &str| match nearest_key(name) {
        Some(key) => format!("{name} (did you mean {key}?)"),
        None => name.to_owned(),
    };
    let names: Vec<_> = ignored.iter().map(|item| with_hint(&item.name)).collect();
    let names = listed(names.iter().map(String::as_str), ignored.len(), ", ");
    let message = format!("metadata without effect with --upstream openai: {names}");
    report.warning(first.place, message);
}

/// Returns the known key that an unknown one is similar to, unless daprd knows the unknown one.
fn nearest_key(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let keys = KEYS.iter().chain(&DAPRD_KEYS);
    let lower: Vec<_> = keys.clone().map(|key| key.to_lowercase()).collect();
    let found = nearest(&name, lower.iter().map(String::as_str))?;
    let known = keys.zip(&lower).find(|(_, lower)| *lower == found)?.0;
    (found != name).then_some(*known)
}

impl Service {
    fn settings(
        &self,
        metadata: &Metadata<'_>,
        place: Place,
        report: &mut Report,
    ) -> Option<OpenAiSettings> {
        let apis = [("azure", ApiType::Azure), ("openai", ApiType::OpenAi), ("", ApiType::OpenAi)];
        let parse = |text: &str| one_of(apis)(&text.to_lowercase());
        let api = metadata.parse("apiType", parse, report).unwrap_or(ApiType::OpenAi);
        let (variable, default) = match api {
            ApiType::OpenAi => (self.model_variable, self.model),
            ApiType::Azure => AZURE,
        };
        let in_environment = metadata.context.environment.get(variable).filter(|it| !it.is_empty());
        let model = in_environment.map(str::to_owned).or_else(|| metadata.text("model", report));
        let model = model.unwrap_or_else(|| default.to_owned());
        let key = match self.key {
            Some(default) => metadata.text("key", report).unwrap_or_else(|| default.to_owned()),
            None => metadata.required("key", (place, NO_KEY), report)?,
        };
        let settings = match api {
            ApiType::OpenAi => {
                let endpoint = metadata.text("endpoint", report);
                OpenAiSettings::new(endpoint.as_deref().unwrap_or(self.endpoint), &key, model)
            }
            ApiType::Azure => {
                let endpoint = metadata.required("endpoint", (place, NO_ENDPOINT), report)?;
                let version = metadata.text("apiVersion", report).unwrap_or_default();
                OpenAiSettings::azure(&endpoint, &version, &key, model)
            }
        };
        settings.map_err(|error| report.error(place, format!("endpoint: {error}"))).ok()
    }
}

impl ProviderSpec for UpstreamSpec {
    fn build(
        &self,
        name: &str,
        _fallback: Option<Arc<dyn Provider>>,
        session_rules: &Arc<SessionRules>,
    ) -> Arc<dyn Provider> {
        let rules = RuleSources { component: self.rules.clone(), sessions: session_rules.clone() };
        by_script(name, self.settings.clone(), rules, Some(self.model.provider(name)))
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

    fn limits_tokens(&self) -> bool {
        false
    }

    fn answered_by(&self) -> Option<&'static str> {
        Some("its model")
    }

    fn may_answer_all(&self) -> bool {
        true
    }
}

// A recorder is compared by identity.
impl PartialEq for UpstreamModel {
    fn eq(&self, other: &Self) -> bool {
        let is_same_model = match (&self.model, &other.model) {
            (Model::OpenAi(one), Model::OpenAi(other)) => one.settings() == other.settings(),
            (Model::Daprd(one), Model::Daprd(other)) => one.is_same(other),
            _ => false,
        };
        let pointer = |recorder: &Option<Arc<Recorder>>| recorder.as_ref().map(Arc::as_ptr);
        is_same_model && pointer(&self.recorder) == pointer(&other.recorder)
    }
}

impl Eq for UpstreamModel {}

impl fmt::Debug for UpstreamModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.model.fmt(f)
    }
}
