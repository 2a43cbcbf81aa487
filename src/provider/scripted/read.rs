//! Reads a chain from its JSON, and checks it whole.

use serde_json::value::RawValue;

use super::{
    Mistake,
    chain::{Chain, Directive, Item, Step, StepPace, StepUsage},
    error::error,
    json::{Object, compact, has_key, object, quoted, string, wait, whole},
};
use crate::chat::{FinishReason, ToolCall};

/// Most words of filler, or of reasoning, at once.
const MAX_WORDS: u64 = 100_000;
/// What every reader of JSON still counts right.
const MAX_TOKENS: u64 = (1 << 53) - 1;

const CHAIN: &str = "instruction_chain";
const STEP_KEYS: [&str; 11] = [
    "id",
    "id_message",
    "reasoning",
    "messages",
    "finish_reason",
    "usage",
    "delay",
    "words_per_chunk",
    "chunk_delay",
    "time_to_first_chunk",
    "error",
];
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

impl Chain {
    /// Reads a JSON object: a chain, or a single step.
    pub(super) fn read(object: &RawValue) -> Result<Self, Mistake> {
        if !has_key(object, CHAIN)? {
            let step = step(object).map_err(|mistake| mistake.within("step 1"))?;
            return Ok(Self { steps: vec![step] });
        }
        let chain = Object::read(object, &[CHAIN])?;
        match chain.list(CHAIN, "step", step)? {
            None => Err(Mistake::new("must be a list, not null").within(CHAIN)),
            Some(steps) if steps.is_empty() => Err(Mistake::new("must have a step").within(CHAIN)),
            Some(steps) => Ok(Self { steps }),
        }
    }
}

fn step(value: &RawValue) -> Result<Step, Mistake> {
    let step = Object::read(value, &STEP_KEYS)?;
    let reasoning = step.get("reasoning", length)?;
    let delay = step.get("delay", wait)?;
    let mut items = step.list("messages", "item", item)?.unwrap_or_default();
    let fails = step.get("error", error)?;
    if reasoning.is_none() && delay.is_none() && items.is_empty() && fails.is_none() {
        return Err(Mistake::new("needs messages, reasoning, error or delay"));
    }
    if !items.is_empty() && fails.is_some() {
        let remedy = "to fail after a text, make the error the last item of messages";
        return Err(Mistake::new(format!("has both messages and error; {remedy}")));
    }
    items.extend(fails.map(Item::Error));
    Ok(Step {
        id: step.get("id", string)?,
        id_message: step.get("id_message", string)?,
        reasoning: reasoning.unwrap_or_default(),
        items,
        finish_reason: step.get("finish_reason", finish_reason)?,
        usage: step.get("usage", usage)?.unwrap_or_default(),
        delay: delay.unwrap_or_default(),
        pace: pace(&step)?,
    })
}

/// `{"length": N}`, in words.
fn length(value: &RawValue) -> Result<u32, Mistake> {
    let words = Object::read(value, &["length"])?.need("length", |it| whole(it, 0, MAX_WORDS))?;
    Ok(u32::try_from(words).unwrap_or(u32::MAX))
}

fn finish_reason(value: &RawValue) -> Result<FinishReason, Mistake> {
    let name = string(value)?;
    let found = FinishReason::ALL.into_iter().find(|reason| reason.as_str() == name);
    found.ok_or_else(|| {
        let known = FinishReason::ALL.map(FinishReason::as_str).join(", ");
        Mistake::new(format!("{} is unknown; known: {known}", quoted(&name)))
    })
}

fn usage(value: &RawValue) -> Result<StepUsage, Mistake> {
    let usage = Object::read(value, &["prompt_tokens", "completion_tokens"])?;
    let tokens = |it| whole(it, 0, MAX_TOKENS);
    Ok(StepUsage {
        prompt_tokens: usage.get("prompt_tokens", tokens)?,
        completion_tokens: usage.get("completion_tokens", tokens)?,
    })
}

fn pace(step: &Object<'_>) -> Result<StepPace, Mistake> {
    let words = step.get("words_per_chunk", |it| whole(it, 1, MAX_WORDS))?;
    Ok(StepPace {
        words_per_chunk: words.and_then(|words| usize::try_from(words).ok()?.try_into().ok()),
        chunk_delay: step.get("chunk_delay", wait)?,
        time_to_first_chunk: step.get("time_to_first_chunk", wait)?,
    })
}

fn item(value: &RawValue) -> Result<Item, Mistake> {
    let item = Object::read(value, &ITEM_KEYS)?;
    let (kind, value) = item.only().map_err(|kinds| {
        let known = ITEM_KEYS.join(", ");
        Mistake::new(format!("has {kinds} kinds; an item is exactly one of {known}"))
    })?;
    let read = match kind {
        "text" => string(value).map(Item::Text),
        "text_message" => length(value).map(Item::Filler),
        "json" => Ok(Item::Text(compact(value))),
        "tool_call" => return calls(&item),
        "error" => error(value).map(Item::Error),
        kind => directive(kind, value).map(Item::Directive),
    };
    read.map_err(|mistake| mistake.within(kind))
}

fn directive(kind: &str, value: &RawValue) -> Result<Directive, Mistake> {
    if kind == "tool_schema" {
        let name = Object::read(value, &["name"])?.get("name", string)?;
        return Ok(Directive::ToolSchema(name.filter(|name| !name.is_empty())));
    }
    Object::read(value, &[])?;
    Ok(match kind {
        "system_prompt_echo" => Directive::SystemPrompt,
        "tools_list" => Directive::ToolNames,
        "tools_echo" => Directive::ToolDescriptions,
        _ => Directive::ToolResults,
    })
}

fn calls(item: &Object<'_>) -> Result<Item, Mistake> {
    match item.list("tool_call", "call", call)? {
        Some(calls) if !calls.is_empty() => Ok(Item::Calls(calls)),
        _ => Err(Mistake::new("must have a call").within("tool_call")),
    }
}

fn call(value: &RawValue) -> Result<ToolCall, Mistake> {
    let call = Object::read(value, &["name", "args", "id"])?;
    let name = call.need("name", string)?;
    if name.is_empty() {
        return Err(Mistake::new("must not be empty").within("name"));
    }
    let arguments =
        call.get("args", |args| object(args).map(compact))?.unwrap_or_else(|| "{}".to_owned());
    Ok(ToolCall { id: call.get("id", string)?, name, arguments })
}
