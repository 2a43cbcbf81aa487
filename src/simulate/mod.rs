//! Simulated conversations between a customer and an agent.

// conversation  conversations and messages
// outcome       the outcomes that a conversation can have
// intent        what participants want
// participant   the interface of participants
// detector      the interface of outcome detectors
// result        the result of a conversation
// run           many conversations side by side, with their results in a file

mod conversation;
mod detector;
mod intent;
mod outcome;
mod participant;
mod result;
mod run;

pub use jiff::Timestamp;

pub use self::{
    conversation::{Conversation, MadeCall, Message, MessageDraft, ParticipantRole},
    detector::{DetectorError, OutcomeDetector},
    intent::Intent,
    outcome::{Outcome, Outcomes, OutcomesError},
    participant::{Participant, ParticipantError, Reply, Turn},
    result::{ConversationResult, EndReason, OriginalConversation, SimulatedConversation},
    run::{
        Action, MissingConversations, RunError, RunIdentity, RunProgress, RunSettings, RunSummary,
        Shard, ShardError, Tally, merge, run,
    },
};
