//! Parses a step from JSON and validates it completely.

use std::num::{NonZeroU32, NonZeroUsize};

use mynah_core::chat::{ChunkSize, FinishReason, MissingPart, ToolCall};
use serde_json::value::RawValue;

use super::{
    StepError,
    error_item::error,
    json::{Object, bounded_string, compact, duration, has_key, integer, object, string},
    quoted::quoted,
    step::{
        Directive, Item, Reasoning, ReplacedCounts, ScriptedCall, Step, StepStreamOptions,
        StepUsage,
    },
};

/// Maximum number of words in filler text, in reasoning or in a chunk, and of characters in a chunk.
const MAX_WORDS: u64 = 100_000;
/// Maximum length of a finish reason in characters.
const MAX_FINISH_REASON: usize = 64;
/// Maximum number of chunks before a response breaks off.
const MAX_CHUNKS: u64 = 1_000_000;
/// Maximum number of failures of a step.
const MAX_TIMES: u64 = 1_000_000;
/// The largest integer that every JSON parser represents exactly.
const MAX_TOKENS: u64 = (1 << 53) - 1;

/// The key of a step's items, and what error locations call an item.
const MESSAGES: &str = "messages";
const ITEM: &str = "item";
pub(crate) const STEP_KEYS: [&str; 15] = [
    "id",
    "id_message",
    "reasoning",
    MESSAGES,
    "finish_reason",
    "usage",
    "delay",
    "words_per_chunk",
    "characters_per_chunk",
    "chunk_delay",
    "time_to_first_chunk",
    "error",
    "times",
    "empty",
    "cut_after",
];
const USAGE_KEYS: [&str; 4] =
    ["prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens"];
/// Stands for an answer without token counts.
const NO_USAGE: &str = "none";
const ITEM_KEYS: [&str; 10] = [
    "text",
    "text_message",
    "json",
    "tool_call",
    "system_prompt_echo",
    "tools_list",
    "tools_echo",
    "tool_schema",
    "tool_results",
    "error",
];

/// Parses a step.
pub(crate) fn step(value: &RawValue) -> Result<Step, StepError> {
    let object =
        Object::parse(value, &STEP_KEYS).map_err(|error| misplaced_item(value).unwrap_or(error))?;
    let (reasoning, delay) = (object.get("reasoning", reasoning)?, object.get("delay", duration)?);
    let mut items = object.list(MESSAGES, ITEM, item)?.unwrap_or_default();
    check_error_item(&items)?;
    let failure = object.get("error", error)?;
    let has_messages = !items.is_empty();
    let has_other = reasoning.is_some() || delay.is_some();
    let has_failure = failure.is_some();
    items.extend(failure.map(Item::Error));
    let step = Step {
        id: object.get("id", string)?,
        id_message: object.get("id_message", string)?,
        reasoning: reasoning.unwrap_or_default(),
        items,
        finish_reason: object.get("finish_reason", finish_reason)?,
        usage: object.get("usage", usage)?.unwrap_or_default(),
        delay: delay.unwrap_or_default(),
        empty: object.get("empty", missing_part)?,
        cut_after: object.get("cut_after", cut_after)?,
        times: object.get("times", times)?,
        stream: stream_options(&object)?,
    };
    let has_other = has_other || step.cut_after.is_some();
    match (has_messages, has_failure, step.empty) {
        (false, false, None) if !has_other => {
            Err(StepError::new("needs messages, reasoning, error, delay, empty or cut_after"))
        }
        (true, true, _) => {
            let hint = "to fail after a text, make the error the last item of messages";
            Err(StepError::new(format!("has both messages and error; {hint}")))
        }
        (true, false, Some(_)) => Err(excluded("messages", "empty")),
        (_, true, Some(_)) => Err(excluded("error", "empty")),
        _ => check_ending(step),
    }
}

/// Returns the error for an item that is written next to `messages`.
fn misplaced_item(step: &RawValue) -> Option<StepError> {
    let mut kinds = ITEM_KEYS.into_iter().filter(|kind| !STEP_KEYS.contains(kind));
    let kind = kinds.find(|kind| has_key(step, kind).is_ok_and(|has_it| has_it))?;
    let hint = format!(r#"make it an item: "messages": [{{{kind:?}: …}}]"#);
    Some(StepError::about_key(kind, format!("unknown key {kind:?}; {hint}")))
}

/// Checks the keys that change how a step ends.
fn check_ending(step: Step) -> Result<Step, StepError> {
    let has_error = matches!(step.items.last(), Some(Item::Error(_)));
    if step.cut_after.is_some() && has_error {
        return Err(excluded("an error", "cut_after"));
    }
    if step.cut_after.is_some() && step.empty.is_some() {
        return Err(excluded("empty", "cut_after"));
    }
    if step.times.is_some() && !step.fails() {
        let message = "only steps with an error or cut_after can have times";
        return Err(StepError::new(message).within_key("times"));
    }
    Ok(step)
}

fn excluded(one: &str, other: &str) -> StepError {
    StepError::new(format!("has both {one} and {other}; remove one of them"))
}

/// Checks that no item is lost because of an error item, which ends the turn. Clients get the texts
/// before an error, but no calls.
fn check_error_item(items: &[Item]) -> Result<(), StepError> {
    let Some(error) = items.iter().position(|item| matches!(item, Item::Error(_))) else {
        return Ok(());
    };
    if error + 1 < items.len() {
        let message = "follows an error, which ends the turn; make the error the last item";
        return Err(StepError::new(message).within_item(MESSAGES, ITEM, error + 1));
    }
    let Some(calls) = items.iter().position(|item| matches!(item, Item::Calls(_))) else {
        return Ok(());
    };
    let message =
        format!("is never sent, because item {} is an error; remove one of them", error + 1);
    Err(StepError::new(message).within_key("tool_call").within_item(MESSAGES, ITEM, calls))
}

/// Parses a text or a number of words.
fn reasoning(value: &RawValue) -> Result<Reasoning, StepError> {
    match value.get().as_bytes().first() {
        Some(b'"') => string(value).map(Reasoning::Text),
        Some(b'{') => length(value).map(Reasoning::Filler),
        _ => Err(StepError::new(r#"must be a text or {"length": N}"#)),
    }
}

/// Parses a number of words: `{"length": N}`.
fn length(value: &RawValue) -> Result<u32, StepError> {
    let length = Object::parse(value, &["length"])?;
    let words = length.require("length", |it| integer(it, 0, MAX_WORDS))?;
    Ok(u32::try_from(words).unwrap_or(u32::MAX))
}

fn times(value: &RawValue) -> Result<NonZeroU32, StepError> {
    let times = integer(value, 1, MAX_TIMES)?;
    Ok(u32::try_from(times).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN))
}

fn finish_reason(value: &RawValue) -> Result<FinishReason, StepError> {
    Ok(FinishReason::from(&*bounded_string(value, MAX_FINISH_REASON)?))
}

/// Parses the name of a part of a response.
pub(crate) fn missing_part(value: &RawValue) -> Result<MissingPart, StepError> {
    let name = string(value)?;
    let found = MissingPart::ALL.into_iter().find(|known| known.as_str() == name);
    found.ok_or_else(|| {
        let known = MissingPart::ALL.map(MissingPart::as_str).join(", ");
        StepError::new(format!("unknown value {}; known: {known}", quoted(&name)))
    })
}

/// Parses a number of chunks.
pub(crate) fn cut_after(value: &RawValue) -> Result<usize, StepError> {
    Ok(usize::try_from(integer(value, 0, MAX_CHUNKS)?).unwrap_or(usize::MAX))
}

fn usage(value: &RawValue) -> Result<StepUsage, StepError> {
    if value.get().starts_with('"') {
        return match string(value)?.as_str() {
            NO_USAGE => Ok(StepUsage::Missing),
            _ => Err(StepError::new(format!("must be an object or {}", quoted(NO_USAGE)))),
        };
    }
    let usage = Object::parse(value, &USAGE_KEYS)?;
    let tokens = |key| usage.get(key, |it| integer(it, 0, MAX_TOKENS));
    Ok(StepUsage::Counted(ReplacedCounts {
        prompt_tokens: tokens("prompt_tokens")?,
        completion_tokens: tokens("completion_tokens")?,
        reasoning_tokens: tokens("reasoning_tokens")?,
        cached_tokens: tokens("cached_tokens")?,
    }))
}

fn stream_options(step: &Object<'_>) -> Result<StepStreamOptions, StepError> {
    let words = step.get("words_per_chunk", chunk_length)?;
    let characters = step.get("characters_per_chunk", chunk_length)?;
    if words.is_some() && characters.is_some() {
        return Err(excluded("words_per_chunk", "characters_per_chunk"));
    }
    Ok(StepStreamOptions {
        chunk_size: words.map(ChunkSize::Words).or(characters.map(ChunkSize::Characters)),
        chunk_delay: step.get("chunk_delay", duration)?,
        time_to_first_chunk: step.get("time_to_first_chunk", duration)?,
    })
}

fn chunk_length(value: &RawValue) -> Result<NonZeroUsize, StepError> {
    let length = usize::try_from(integer(value, 1, MAX_WORDS)?).unwrap_or(usize::MAX);
    // It is at least 1.
    Ok(NonZeroUsize::new(length).unwrap_or(NonZeroUsize::MIN))
}

fn item(value: &RawValue) -> Result<Item, StepError> {
    let item = Object::parse(value, &ITEM_KEYS)?;
    let (kind, value) = item.single().map_err(|kinds| {
        let known = ITEM_KEYS.join(", ");
        StepError::new(format!("has {kinds} kinds; expected exactly one of {known}"))
    })?;
    let parsed = match kind {
        "text" => string(value).map(Item::Text),
        "text_message" => length(value).map(Item::Filler),
        "json" => Ok(Item::Json(compact(value))),
        "tool_call" => return calls(&item),
        "error" => error(value).map(Item::Error),
        kind => directive(kind, value).map(Item::Directive),
    };
    parsed.map_err(|error| error.within_key(kind))
}

fn directive(kind: &str, value: &RawValue) -> Result<Directive, StepError> {
    if kind == "tool_schema" {
        let name = Object::parse(value, &["name"])?.get("name", string)?;
        return Ok(Directive::ToolSchema(name.filter(|name| !name.is_empty())));
    }
    Object::parse(value, &[])?;
    Ok(match kind {
        "system_prompt_echo" => Directive::SystemPrompt,
        "tools_list" => Directive::ToolNames,
        "tools_echo" => Directive::ToolDescriptions,
        _ => Directive::ToolResults,
    })
}

fn calls(item: &Object<'_>) -> Result<Item, StepError> {
    match item.list("tool_call", "call", call)? {
        Some(calls) if !calls.is_empty() => Ok(Item::Calls(calls)),
        _ => Err(StepError::new("must have at least one call").within_key("tool_call")),
    }
}

fn call(value: &RawValue) -> Result<ScriptedCall, StepError> {
    let call = Object::parse(value, &["name", "args", "raw_args", "id"])?;
    let name = call.require("name", string)?;
    if name.is_empty() {
        return Err(StepError::new("must not be empty").within_key("name"));
    }
    let args = call.get("args", |args| object(args).map(compact))?;
    let raw_args = call.get("raw_args", string)?;
    if args.is_some() && raw_args.is_some() {
        return Err(StepError::new("has both args and raw_args; remove one of them"));
    }
    let has_raw_args = raw_args.is_some();
    let arguments = args.or(raw_args).unwrap_or_else(|| "{}".to_owned());
    let call = ToolCall { id: call.get("id", string)?, name, arguments };
    Ok(ScriptedCall { call, has_raw_args })
}
