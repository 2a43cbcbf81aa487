//! The scenarios of a plan.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::checker::{Checker, PlannedJudge, unknown};
use crate::{
    Clock, Intent, MessageDraft, OriginalConversation, ParticipantRole,
    file::{FromSource, ParticipantRef, ScenarioSource, Short, Start},
    kinds::{ParticipantKeys, PlannedParticipant},
    recorded::Recording,
};

/// A scenario and its participants.
pub(super) struct PlannedScenario {
    pub(super) id: String,
    pub(super) customer: Arc<PlannedParticipant>,
    pub(super) agent: Arc<PlannedParticipant>,
    pub(super) intents: Vec<Intent>,
    /// Finds the intent in a conversation that was played without one.
    pub(super) infer_intent: Option<PlannedJudge>,
    start: PlannedStart,
    repeat: usize,
    pub(super) clock: Clock,
    /// The position of the first conversation in the run.
    pub(super) first: usize,
}

enum PlannedStart {
    Message(MessageDraft),
    Recorded {
        recording: Arc<Recording>,
        /// Finds the intent in a recorded conversation.
        intents: Option<PlannedJudge>,
    },
}

impl PlannedScenario {
    /// Returns the number of conversations.
    pub(super) fn conversations(&self) -> usize {
        match &self.start {
            PlannedStart::Message(_) => self.repeat,
            PlannedStart::Recorded { recording, .. } => recording.len() * self.repeat,
        }
    }

    /// Returns what finds the intent in a recorded conversation.
    pub(super) fn recorded_intents(&self) -> Option<&PlannedJudge> {
        match &self.start {
            PlannedStart::Message(_) => None,
            PlannedStart::Recorded { intents, .. } => intents.as_ref(),
        }
    }

    /// Returns the clock, unless the file or a judge of all scenarios decides: the real one if a
    /// participant or a model is outside of this process.
    fn default_clock(&self) -> Clock {
        let mut judges = self.infer_intent.iter().chain(self.recorded_intents());
        let is_external = self.customer.is_external
            || self.agent.is_external
            || judges.any(|judge| judge.model.is_external());
        if is_external { Clock::Real } else { Clock::Virtual }
    }

    /// Returns the first message of a conversation, and the recorded conversation that it is from.
    pub(super) fn start(
        &self,
        number: usize,
    ) -> Option<(MessageDraft, Option<OriginalConversation>)> {
        match &self.start {
            PlannedStart::Message(message) => Some((message.clone(), None)),
            PlannedStart::Recorded { recording, .. } => {
                let original = recording.get(number / self.repeat)?;
                let first = original.conversation.messages.first()?;
                let message = MessageDraft::new(first.sender, first.content.clone());
                Some((message, Some(original)))
            }
        }
    }
}

/// The participants by name.
type Participants = BTreeMap<String, (ParticipantRole, Option<Arc<PlannedParticipant>>)>;

/// Checks the participants and the scenarios of a file. Without a clock, that of a scenario depends on
/// who takes part.
pub(super) fn plan(
    participants: Vec<ParticipantKeys>,
    scenarios: Vec<ScenarioSource>,
    clock: Option<Clock>,
    checker: &mut Checker<'_>,
) -> Vec<PlannedScenario> {
    if scenarios.is_empty() {
        checker.error("scenarios", "scenarios is empty; expected a list of scenarios");
    }
    warn_about_unused(&participants, &scenarios, checker);
    let participants = plan_participants(participants, checker);
    let (mut planned, mut ids, mut first) = (Vec::new(), BTreeSet::new(), 0);
    for (index, source) in scenarios.into_iter().enumerate() {
        let path = format!("scenarios/{index}");
        if !ids.insert(source.id.clone()) {
            checker.error(&format!("{path}/id"), format!("duplicate scenario id {:?}", source.id));
        }
        if let Some(scenario) = plan_scenario(source, &path, &participants, checker) {
            let clock = clock.unwrap_or_else(|| scenario.default_clock());
            let next = first + scenario.conversations();
            planned.push(PlannedScenario { clock, first, ..scenario });
            first = next;
        }
    }
    planned
}

/// Warns about participants that no scenario names.
fn warn_about_unused(
    participants: &[ParticipantKeys],
    scenarios: &[ScenarioSource],
    checker: &mut Checker<'_>,
) {
    let named = scenarios.iter().flat_map(|scenario| [&scenario.customer, &scenario.agent]);
    let used: BTreeSet<_> = named
        .filter_map(|participant| match participant {
            Short::Text(name) => Some(name),
            Short::Full(_) => None,
        })
        .collect();
    for (index, ParticipantKeys { name, .. }) in participants.iter().enumerate() {
        if !used.contains(name) {
            let message = format!("the participant {name:?} is in no scenario");
            checker.report.warning(&format!("participants/{index}"), message);
        }
    }
}

fn plan_participants(sources: Vec<ParticipantKeys>, checker: &mut Checker<'_>) -> Participants {
    let mut participants = Participants::new();
    for (index, ParticipantKeys { name, role, definition }) in sources.into_iter().enumerate() {
        let path = format!("participants/{index}");
        if name.trim().is_empty() {
            checker.error(&format!("{path}/name"), "the name of the participant has no text");
        }
        let planned = definition.check(&path, checker).map(Arc::new);
        if participants.insert(name.clone(), (role, planned)).is_some() {
            checker.error(&format!("{path}/name"), format!("duplicate participant name {name:?}"));
        }
    }
    participants
}

fn plan_scenario(
    source: ScenarioSource,
    path: &str,
    participants: &Participants,
    checker: &mut Checker<'_>,
) -> Option<PlannedScenario> {
    let ScenarioSource { id, customer, agent, intents, infer_intent, start, repeat } = source;
    let mut side = |participant, role| {
        find(participant, role, &format!("{path}/{role}"), participants, checker)
    };
    let customer = side(customer, ParticipantRole::Customer);
    let agent = side(agent, ParticipantRole::Agent);
    let infer_intent = checker.judge(infer_intent, &format!("{path}/infer_intent"));
    for (index, intent) in intents.iter().enumerate() {
        if intent.description.trim().is_empty() {
            let at = format!("{path}/intents/{index}/description");
            checker.error(&at, "the description of the intent has no text");
        }
    }
    let start = plan_start(start, path, checker);
    let (customer, agent, start) = (customer?, agent?, start?);
    let replays = [&customer, &agent].iter().any(|it| it.is_replay);
    if replays && matches!(start, PlannedStart::Message(_)) {
        checker.error(path, format!("the scenario {id:?} replays a participant but has no `from`"));
    }
    let (repeat, clock, first) = (repeat as usize, Clock::default(), 0);
    Some(PlannedScenario {
        id,
        customer,
        agent,
        intents,
        infer_intent,
        start,
        repeat,
        clock,
        first,
    })
}

/// Checks how conversations start.
fn plan_start(start: Start, path: &str, checker: &mut Checker<'_>) -> Option<PlannedStart> {
    let FromSource { file, format, intents } = match start {
        Start::Message(draft) => {
            let message = MessageDraft::new(draft.sender, draft.content);
            return Some(PlannedStart::Message(message));
        }
        Start::Recorded(from) => from,
    };
    let at_file = format!("{path}/from/file");
    let recording = checker.recording(&file, format, &at_file);
    if let Some(recording) = &recording
        && recording.is_empty()
    {
        checker.error(&at_file, format!("{} has no conversations with messages", file.display()));
    }
    let intents = checker.judge(intents, &format!("{path}/from/intents"));
    Some(PlannedStart::Recorded { recording: recording?, intents })
}

/// Finds the participant that a scenario names, or plans the one that it contains.
fn find(
    participant: ParticipantRef,
    role: ParticipantRole,
    path: &str,
    participants: &Participants,
    checker: &mut Checker<'_>,
) -> Option<Arc<PlannedParticipant>> {
    let name = match participant {
        Short::Full(inline) => {
            return inline.0.check(path, checker).map(Arc::new);
        }
        Short::Text(name) => name,
    };
    match participants.get(&name) {
        Some((its_role, planned)) if *its_role == role => planned.clone(),
        Some((its_role, _)) => {
            let message = format!("the participant {name:?} has the role {its_role}, not {role}");
            checker.error(path, message);
            None
        }
        None => {
            let of_role = participants.iter().filter(|(_, (its_role, _))| *its_role == role);
            checker.error(path, unknown(role.as_str(), &name, of_role.map(|(name, _)| name)));
            None
        }
    }
}
