//! Finds the chain that applies to a history, and counts the turns after the chain.

use std::{cell::RefCell, ops::Range, rc::Rc};

use mynah_core::{
    chat::{Message, Role},
    provider::{
        Unseen,
        recently_used::{MAX_ENTRIES, RecentlyUsed},
        turns::count_turns,
    },
};
use serde_json::value::RawValue;

use super::{
    Chain,
    chain::Turns,
    malformed::Malformed,
    tags::{self, Blocks},
};
use crate::{OnMalformed, StepError};

/// The chain that applies to a history.
pub(crate) struct ActiveChain {
    pub(crate) chain: Rc<Chain>,
    /// Number of the message that contains the chain, starting at 1.
    pub(crate) message: usize,
    /// Number of turns of the model since that message.
    pub(crate) turns: Turns,
}

/// Maximum length in bytes of user messages with chains that are parsed within a millisecond.
const MAX_BRIEF_CHAINS: usize = 8 * 1024;

/// How much larger a parsed chain is than its text, at most.
const PARSED_SIZE: usize = 16;

thread_local! {
    /// The blocks of the latest requests.
    static BLOCKS: RefCell<RecentlyUsed<ParsedBlock>> =
        const { RefCell::new(RecentlyUsed::new(MAX_ENTRIES)) };
}

/// The text between two tags, and its content.
struct ParsedBlock {
    text: Box<str>,
    content: Content,
}

/// A chain, or the reason why it is invalid.
type Found = Result<Rc<Chain>, StepError>;

/// The content of a block.
#[derive(Clone)]
enum Content {
    Chain(Found),
    /// Something else.
    Other(Malformed),
}

/// Returns `true` if parsing the chains in a history may take longer than a millisecond.
pub(crate) fn has_long_chain(messages: &[Message]) -> bool {
    let of_user = || messages.iter().filter(|message| matches!(message.role, Role::User));
    let has_tag = |message: &Message| message.parts.iter().any(|text| tags::has_start(text));
    of_user().map(Message::text_len).sum::<usize>() > MAX_BRIEF_CHAINS && of_user().any(has_tag)
}

/// Finds the chain in the latest user message that contains one. Searches each text only once.
pub(crate) fn find_active_chain(
    messages: &[Message],
    unseen: Option<&Unseen>,
    on_malformed: OnMalformed,
) -> Result<Option<ActiveChain>, StepError> {
    let mut skipped = SkippedBlocks::default();
    let found = messages.iter().enumerate().rev().find_map(|(index, message)| {
        let texts = matches!(message.role, Role::User).then_some(&message.parts);
        let mut skip = |malformed: Malformed| match on_malformed {
            OnMalformed::Error => Some(Err(malformed.into())),
            OnMalformed::Fallback => {
                skipped.add(index + 1, malformed);
                None
            }
        };
        let find = |text: &String| find_chain(text, &mut skip);
        Some((index + 1, texts?.iter().find_map(find)?))
    });
    skipped.log();
    let Some((message, chain)) = found else { return Ok(None) };
    let chain = chain.map_err(|error| error.within(format!("chain in message {message}")))?;
    let is_seen = |at| unseen.is_none_or(|unseen| unseen.is_seen(at));
    let seen = (message..).zip(&messages[message..]).filter(|(at, _)| is_seen(*at));
    let seen = count_turns(seen.map(|(_, message)| message));
    let turns = Turns { seen, unseen: unseen.map_or(0, |unseen| unseen.turns(messages)) };
    Ok(Some(ActiveChain { chain, message, turns }))
}

/// Returns the first chain in a text. Calls `skip` for everything malformed before it.
fn find_chain(text: &str, skip: &mut impl FnMut(Malformed) -> Option<Found>) -> Option<Found> {
    let Blocks { ranges, defect } = tags::blocks(text);
    let in_block = |block| match parse(&text[block]) {
        Content::Chain(chain) => Some(chain),
        Content::Other(malformed) => skip(malformed),
    };
    let found = ranges.into_iter().find_map(in_block);
    found.or_else(|| skip(Malformed::tag(text, defect?)))
}

/// Parses a block, unless it was parsed for an earlier turn.
fn parse(block: &str) -> Content {
    let read = || match json_object(block) {
        Ok(object) => Content::Chain(Chain::parse(object).map(Rc::new)),
        Err(malformed) => Content::Other(malformed),
    };
    if block.len() > MAX_BRIEF_CHAINS {
        return read();
    }
    let parse = || (ParsedBlock { text: block.into(), content: read() }, PARSED_SIZE * block.len());
    let parsed = BLOCKS.with_borrow_mut(|it| it.get(|parsed| *parsed.text == *block, parse));
    parsed.content.clone()
}

/// Returns the ranges of the chains in a text, without their tags.
pub fn chain_ranges(text: &str) -> Vec<Range<usize>> {
    json_objects(text).map(|(range, _)| range).collect()
}

/// Iterates over the blocks in a text that are JSON objects.
fn json_objects(text: &str) -> impl Iterator<Item = (Range<usize>, &RawValue)> {
    let object = |block: Range<usize>| Some((block.clone(), json_object(&text[block]).ok()?));
    tags::blocks(text).ranges.into_iter().filter_map(object)
}

/// Reads a block.
fn json_object(block: &str) -> Result<&RawValue, Malformed> {
    match serde_json::from_str::<&RawValue>(block) {
        Ok(value) if value.get().starts_with('{') => Ok(value),
        Ok(_) => Err(Malformed::not_an_object()),
        Err(error) => Err(Malformed::not_json(block, &error)),
    }
}

/// The blocks that were skipped. They are logged as one line because a history may contain many.
#[derive(Default)]
struct SkippedBlocks {
    count: usize,
    latest: Option<(usize, Malformed)>,
}

impl SkippedBlocks {
    fn add(&mut self, message: usize, malformed: Malformed) {
        self.count += 1;
        self.latest.get_or_insert((message, malformed));
    }

    fn log(self) {
        if let Self { count, latest: Some((message, malformed)) } = self {
            tracing::warn!(
                count,
                message,
                reason = %malformed,
                "skipped a malformed chain"
            );
        }
    }
}

impl Chain {
    /// Parses the chain in a user message: the first JSON object between instruction tags.
    ///
    /// Returns `None` if the text does not contain a JSON object between tags, and an error if the
    /// object is not a valid chain.
    ///
    /// ```
    /// use mynah_script::Chain;
    /// let prompt = r#"Hi <|instruction_start|>{"messages":[{"text":"Hello"}]}<|instruction_end|>"#;
    /// assert_eq!(Chain::in_text(prompt).unwrap()?.turns(), 1);
    /// assert!(Chain::in_text("Hi").is_none());
    /// # Ok::<(), mynah_script::StepError>(())
    /// ```
    pub fn in_text(text: &str) -> Option<Result<Self, StepError>> {
        json_objects(text).next().map(|(_, object)| Self::parse(object))
    }
}
