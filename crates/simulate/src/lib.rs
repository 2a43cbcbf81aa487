//! Simulated conversations between a customer and an agent.
//!
//! A [`Runner`] plays one conversation. Both [participants] take turns, a [detector](detectors)
//! decides whether the conversation has reached one of the declared [`Outcomes`], and the result tells
//! how the conversation [ended](EndReason):
//!
//! ```
//! use mynah_simulate::{
//!     EndReason,
//!     Event,
//!     Intent,
//!     MessageDraft,
//!     Outcome,
//!     Outcomes,
//!     ParticipantRole,
//!     Pattern,
//!     Runner,
//!     RunnerSettings,
//!     detectors::{Condition, RuleDetector},
//!     participants::Script,
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let outcomes = Outcomes::new(vec![
//!     Outcome::new("resolved", "Customer issue was fully resolved"),
//!     Outcome::new("escalated", "Issue was escalated to supervisor"),
//!     Outcome::new("abandoned", "Customer left without resolution"),
//! ])?;
//!
//! // The initial message is the first turn of the customer, and thus the first line of its script.
//! let hello = "Hello, I need help with order 1001";
//! let customer = [hello, "It never arrived.", "Thanks, that solves it."];
//! let customer = Script::of_texts(ParticipantRole::Customer, customer);
//! let agent = ["What is wrong with it?", "I have sent it again.", "You are welcome."];
//! let agent = Script::of_texts(ParticipantRole::Agent, agent);
//! let thanks = Condition::matches(Pattern::new("(?i)thanks")?).by(ParticipantRole::Customer);
//!
//! let runner = Runner::new(customer, agent, MessageDraft::new(ParticipantRole::Customer, hello))
//!     .intents(vec![Intent::new(ParticipantRole::Customer, "Get order 1001 delivered")])
//!     .outcomes(outcomes)
//!     .detector(RuleDetector::new("resolved", thanks))
//!     .settings(RunnerSettings { max_messages: 50, ..RunnerSettings::default() })
//!     .on_event(|event, conversation, progress| match event {
//!         Event::MessageAdded => {
//!             let latest = conversation.last_message().map_or("", |message| &message.content);
//!             println!("{}/{} messages: {latest}", progress.message_count, progress.max_messages);
//!         }
//!         Event::OutcomeDetected => println!("Outcome reached: {:?}", progress.outcome),
//!         Event::ConversationEnded(reason) => println!("The conversation ended: {reason}"),
//!     });
//! let result = runner.run().await;
//!
//! println!("Conversation completed in {:.2}s", result.duration.as_secs_f64());
//! println!("{}", result.conversation);
//! assert_eq!(result.conversation.messages.len(), 6);
//! assert_eq!(result.outcome_name(), Some("resolved"));
//! assert_eq!(result.end_reason, EndReason::BothPassed);
//! # Ok(())
//! # }
//! ```
//!
//! An [`Observer`] reads the progress from another task:
//!
//! ```
//! # use mynah_simulate::{MessageDraft, ParticipantRole, Runner, participants::Script};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let customer = Script::of_texts(ParticipantRole::Customer, ["Hello", "Goodbye"]);
//! # let agent = Script::of_texts(ParticipantRole::Agent, ["Hello"]);
//! # let initial_message = MessageDraft::new(ParticipantRole::Customer, "Hello");
//! let mut runner = Runner::new(customer, agent, initial_message);
//! let observer = runner.observer();
//! let run = tokio::spawn(runner.run());
//! while !observer.is_complete() {
//!     let progress = observer.progress();
//!     println!("{} messages in {}s", progress.message_count, progress.elapsed_seconds);
//!     tokio::task::yield_now().await;
//! }
//! assert_eq!(observer.conversation(), run.await?.conversation);
//! # Ok(())
//! # }
//! ```
//!
//! # Participants
//!
//! A participant is a [`Script`](participants::Script), a
//! [`ModelParticipant`](participants::ModelParticipant), an
//! [`HttpParticipant`](participants::HttpParticipant), a
//! [`CommandParticipant`](participants::CommandParticipant) or any type that implements
//! [`Participant`]. In each of its turns, it sends messages or passes. Two passes in a row end the
//! conversation.
//!
//! # Files
//!
//! A [`Plan`] has the conversations of a simulation in a file, which [`run`] plays. A [`Recording`] has the
//! recorded conversations in a file.
//!
//! # Time
//!
//! Timestamps and durations are [virtual](Clock::Virtual): they depend on the participants' delays,
//! such as those of [`Typing`](participants::Typing), and not on a clock, so the same conversation has
//! the same timestamps in each run. If a participant, a detector, a judge or the intent extractor is
//! [external](Participant::is_external), they are [real](Clock::Real) instead, and so is the limit on
//! silence. The turns of external participants always have a limit in real time.

// conversation  conversations and messages
// outcome       the outcomes that a conversation can have, and the interfaces of what detects them
// intent        what participants want, and models that find it
// pattern       patterns that end conversations
// participant   the interface of participants
// models        the interface of what provides models
// result        the result of a conversation
// run           many conversations side by side, with their results in a file
// question      questions that models answer, and how the answers are read
// participants  scripts, models, programs and agents behind HTTP
// detectors     rules and models that detect outcomes
// runner        plays a conversation
// file          the file format
// recorded      recorded conversations
// kinds         the kinds of participants in a file
// plan          plans the conversations of a file
// analysis      what the conversations of a run have in common
// report        the report of a run as an HTML file

#![forbid(unsafe_code)]

mod analysis;
mod conversation;
pub mod detectors;
mod file;
mod intent;
mod kinds;
mod models;
mod outcome;
mod participant;
pub mod participants;
mod pattern;
mod plan;
mod question;
mod recorded;
mod report;
mod result;
mod run;
mod runner;

pub use jiff::Timestamp;

pub use self::{
    analysis::{
        AdversarialEvaluation, AdversarialTester, DurationStats, Failure, Failures,
        MessageComparison, MessageDistributionStats, OutcomeComparison, OutcomeDistribution,
        Report, ScenarioReport, ToolReport, analyse,
    },
    conversation::{
        Conversation, MadeCall, MessageDraft, ParticipantRole, SentMessage, UnsentCall,
    },
    file::{is_simulation, schema},
    intent::{Intent, IntentExtractor, ModelIntentExtractor},
    models::{Components, Model, Models},
    outcome::{DetectorError, EndJudge, Outcome, OutcomeDetector, Outcomes, OutcomesError},
    participant::{Participant, ParticipantError, Reply, Turn},
    pattern::{Pattern, PatternError},
    plan::{ConnectError, InvalidSimulation, Plan},
    question::JudgeModel,
    recorded::Recording,
    report::write_html,
    result::{ConversationResult, EndReason, OriginalConversation, SimulatedConversation},
    run::{
        Action, Advice, EarlierResults, MissingConversations, RunError, RunIdentity, RunProgress,
        RunSettings, RunSummary, Shard, ShardError, Tally, merge, run,
    },
    runner::{
        BaseTimestamp, Clock, Detection, EndConditions, Event, Observer, Progress, Runner,
        RunnerSettings,
    },
};
