//! Simulated conversations between a customer and an agent.

// conversation  conversations and messages
// outcome       the outcomes that a conversation can have
// intent        what participants want
// pattern       patterns that end conversations
// participant   the interface of participants
// detector      the interfaces of outcome detectors and judges
// extractor     the interface of intent extractors
// result        the result of a conversation
// run           many conversations side by side, with their results in a file
// participants  scripts, programs and agents behind HTTP
// runner        plays a conversation
// file          the file format
// recorded      recorded conversations
// plan          plans the conversations of a file
// analysis      what the conversations of a run have in common
// report        the report of a run as an HTML file

mod analysis;
mod conversation;
mod detector;
mod extractor;
#[cfg(feature = "server")]
#[allow(dead_code, unused_imports, reason = "for the command that plays them")]
mod file;
mod intent;
mod outcome;
mod participant;
pub mod participants;
mod pattern;
#[cfg(feature = "server")]
#[allow(dead_code, unused_imports, reason = "for the command that plays them")]
mod plan;
#[cfg(feature = "server")]
#[allow(dead_code, unused_imports, reason = "for the command that plays them")]
mod recorded;
#[cfg(feature = "server")]
mod report;
mod result;
mod run;
mod runner;

pub use jiff::Timestamp;

#[cfg(feature = "server")]
pub use self::report::write_html;
pub use self::{
    analysis::{
        AdversarialEvaluation, AdversarialTester, DurationStats, Failure, Failures,
        MessageComparison, MessageDistributionStats, OutcomeComparison, OutcomeDistribution,
        Report, ScenarioReport, ToolReport, analyse,
    },
    conversation::{Conversation, MadeCall, Message, MessageDraft, ParticipantRole},
    detector::{DetectorError, EndJudge, OutcomeDetector},
    extractor::IntentExtractor,
    intent::Intent,
    outcome::{Outcome, Outcomes, OutcomesError},
    participant::{Participant, ParticipantError, Reply, Turn},
    pattern::{Pattern, PatternError},
    result::{ConversationResult, EndReason, OriginalConversation, SimulatedConversation},
    run::{
        Action, MissingConversations, RunError, RunIdentity, RunProgress, RunSettings, RunSummary,
        Shard, ShardError, Tally, merge, run,
    },
    runner::{
        BaseTimestamp, Detection, EndConditions, Event, Observer, Progress, Runner, RunnerSettings,
    },
};
#[cfg(feature = "server")]
pub(crate) use self::{
    file::{is_simulation, schema},
    plan::Plan,
};
