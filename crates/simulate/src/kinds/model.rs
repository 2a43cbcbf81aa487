//! `component` and `sidecar`: a participant that is a model.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

use mynah_agent::tool_loop::{LoopSettings, ToolLoop};
use mynah_core::provider::Provider;
use mynah_echo::text::{canonical, words};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{PlannedParticipant, Start, retrying::RetryingModel};
use crate::{
    Model, ParticipantRole,
    file::{Count, ModelRef},
    participants::ModelParticipant,
    plan::{Checker, PlannedTools},
    recorded::Recording,
};

/// The number of examples, unless the file sets it.
const EXAMPLES: u32 = 3;

/// The keys of a model that plays a participant.
#[derive(Debug)]
pub(super) struct ModelKeys {
    pub(super) model: ModelRef,
    pub(super) persona: Option<String>,
    pub(super) system: Option<String>,
    pub(super) instructions: Option<String>,
    pub(super) tools: Option<PathBuf>,
    pub(super) examples: Option<ExamplesKeys>,
    pub(super) retries: u32,
}

/// Recorded conversations as examples.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExamplesSource")]
pub(super) struct ExamplesKeys {
    /// The file, .json or .csv, relative to this file.
    from: PathBuf,
    /// Number of conversations. Those whose words are nearest to the intents are taken. Default: 3.
    number: Option<Count<1, 100>>,
}

/// A checked model that plays a participant.
struct Speaker {
    keys: ModelKeys,
    model: Arc<dyn Model>,
    tools: Option<Arc<PlannedTools>>,
    examples: Option<Examples>,
}

impl ModelKeys {
    /// Plans the participant, whose keys are at a path in the file.
    pub(super) fn check(self, path: &str, checker: &mut Checker<'_>) -> Option<PlannedParticipant> {
        let model = checker.model(self.model.clone(), path);
        let tools = match &self.tools {
            Some(file) => Some(checker.tools(file, &format!("{path}/tools"))?),
            None => None,
        };
        let examples = match &self.examples {
            Some(ExamplesKeys { from, number }) => {
                let recording = checker.recording(from, None, &format!("{path}/examples/from"))?;
                let number = number.map_or(EXAMPLES, |number| number.0) as usize;
                Some(Examples::new(recording, number))
            }
            None => None,
        };
        let (model, shared) = (model?, tools.clone());
        let is_external = model.is_external();
        let connected = Some(model.clone());
        let speaker = Speaker { keys: self, model, tools, examples };
        let planned =
            PlannedParticipant::new(move |role, start| Ok(Box::new(speaker.build(role, start)?)));
        Some(PlannedParticipant { is_external, model: connected, tools: shared, ..planned })
    }
}

impl Speaker {
    fn build(&self, role: ParticipantRole, start: &Start<'_>) -> Result<ModelParticipant, String> {
        let (model, tools) = self.with_tools()?;
        let model = match self.keys.retries {
            0 => model,
            retries => Arc::new(RetryingModel { model, retries }),
        };
        let participant = ModelParticipant::new(role, model).external(self.model.is_external());
        let participant = tools.into_iter().fold(participant, ModelParticipant::tools);
        let participant = self.keys.persona.iter().fold(participant, ModelParticipant::persona);
        let participant = self.keys.system.iter().fold(participant, ModelParticipant::system);
        let participant =
            self.keys.instructions.iter().fold(participant, ModelParticipant::instructions);
        let examples = self.examples.iter().flat_map(|it| it.nearest(start));
        let examples = examples.map(|example| format!("Example: {example}"));
        Ok(examples.fold(participant, ModelParticipant::system))
    }

    /// Returns the model with a loop of the tools of the participant and of its component, which run
    /// here, so that messages have the calls, and tools know the conversation. Its caches and circuit
    /// breakers belong to one conversation.
    fn with_tools(&self) -> Result<(Arc<dyn Provider>, Option<ToolLoop>), String> {
        let (model, own) = self.model.without_tools();
        let given = self.tools.as_ref().map(|tools| tools.registry());
        if given.is_none() && own.is_none() {
            return Ok((model, None));
        }
        let (own, settings) = own.unwrap_or_else(|| (Default::default(), LoopSettings::default()));
        let mut registry = given.unwrap_or_default();
        registry.add_missing(&own);
        let tools = ToolLoop::new(registry, settings).map_err(|error| error.to_string())?;
        Ok((model, Some(tools)))
    }
}

/// How little the repetitions of a word count.
const SATURATION: f64 = 1.2;
/// How much the length of a conversation counts.
const LENGTH: f64 = 0.75;

/// The recorded conversations in a file from which a model gets examples.
#[derive(Debug)]
pub(super) struct Examples {
    recording: Arc<Recording>,
    /// The number of examples.
    number: usize,
    /// For each word, the conversations that have it, and how often.
    found: BTreeMap<String, Vec<(usize, u32)>>,
    /// The number of words of each conversation.
    lengths: Vec<u32>,
}

impl Examples {
    pub(super) fn new(recording: Arc<Recording>, number: usize) -> Self {
        let (mut found, mut lengths) = (BTreeMap::<_, Vec<_>>::new(), Vec::new());
        for at in 0..recording.len() {
            let (mut counts, mut length) = (BTreeMap::new(), 0);
            let conversation = recording.get(at).map(|original| original.conversation);
            for message in conversation.iter().flat_map(|it| &it.messages) {
                for word in canonical_words(&message.content) {
                    *counts.entry(word).or_insert(0) += 1;
                    length += 1;
                }
            }
            for (word, count) in counts {
                found.entry(word).or_default().push((at, count));
            }
            lengths.push(length);
        }
        Self { recording, number, found, lengths }
    }

    /// Returns the conversations that are nearest to the intents, as texts, nearest first. Leaves out the
    /// recorded conversation that is played.
    fn nearest(&self, start: &Start<'_>) -> Vec<String> {
        let query = start.intents.iter().flat_map(|intent| canonical_words(&intent.description));
        let scores = self.scores(&query.collect());
        let mut ranked: Vec<_> = scores.iter().map(|(at, score)| (*at, *score)).collect();
        // The sort is stable.
        ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let others = (0..self.lengths.len()).filter(|at| !scores.contains_key(at));
        let ranked = ranked.into_iter().map(|(at, _)| at).chain(others);
        let conversations = ranked.filter_map(|at| self.recording.get(at));
        let conversations = conversations.map(|original| original.conversation);
        let others = conversations.filter(|conversation| start.recorded != Some(conversation));
        others.take(self.number).map(|conversation| conversation.to_string()).collect()
    }

    /// Returns the scores of the conversations that have one of the words.
    fn scores(&self, words: &BTreeSet<String>) -> BTreeMap<usize, f64> {
        let total = self.lengths.len() as f64;
        let average = self.lengths.iter().map(|length| f64::from(*length)).sum::<f64>() / total;
        let mut scores = BTreeMap::new();
        for found in words.iter().filter_map(|word| self.found.get(word)) {
            let having = found.len() as f64;
            let rarity = (1.0 + (total - having + 0.5) / (having + 0.5)).ln();
            for (at, count) in found {
                let (count, length) = (f64::from(*count), f64::from(self.lengths[*at]));
                let limit = SATURATION * (1.0 - LENGTH + LENGTH * length / average);
                *scores.entry(*at).or_insert(0.0) +=
                    rarity * count * (SATURATION + 1.0) / (count + limit);
            }
        }
        scores
    }
}

fn canonical_words(text: &str) -> impl Iterator<Item = String> {
    words(text).map(|word| canonical(&text[word.range]))
}
