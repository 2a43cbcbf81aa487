//! Tests of the runner.

mod cancellation;
mod detection;
mod end_conditions;
mod events;
mod intents;
mod panics;
mod time;
mod turns;

use mynah::simulate::{
    MessageDraft, Outcome, Outcomes, ParticipantRole, Runner, RunnerSettings,
    participants::{Script, ScriptStep},
};

const CUSTOMER: ParticipantRole = ParticipantRole::Customer;
const AGENT: ParticipantRole = ParticipantRole::Agent;

/// Returns an endless enough script: `c1`, `c2`, … or `a1`, `a2`, …
///
/// The initial message is the first step of the customer, so `c0` is not played.
fn talkative(role: ParticipantRole) -> Script {
    let first = if role == CUSTOMER { 0 } else { 1 };
    let initial = &role.as_str()[..1];
    Script::of_texts(role, (first..first + 200).map(|number| format!("{initial}{number}")))
}

/// Returns a script of messages, where `-` is a pass.
fn script(role: ParticipantRole, steps: &[&str]) -> Script {
    let step = |text: &&str| match *text {
        "-" => ScriptStep::Pass,
        text => ScriptStep::say(text),
    };
    Script::new(role, steps.iter().map(step).collect::<Vec<_>>())
}

/// Returns a runner of two talkative participants. The customer starts.
fn talkative_runner() -> Runner {
    Runner::new(talkative(CUSTOMER), talkative(AGENT), MessageDraft::new(CUSTOMER, "initial"))
}

fn resolved() -> Outcome {
    Outcome::new("resolved", "The issue was resolved")
}

fn outcomes() -> Outcomes {
    Outcomes::new(vec![resolved(), Outcome::new("escalated", "A supervisor took over")]).unwrap()
}

fn at_most(max_messages: usize) -> RunnerSettings {
    RunnerSettings { max_messages, ..RunnerSettings::default() }
}
