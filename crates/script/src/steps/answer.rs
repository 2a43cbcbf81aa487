//! Generates a step's answer to a request.

use mynah_core::{
    chat::{Choice, Delivery, FinishReason, ProviderError, Request, Response, ToolCall, Usage},
    provider::{Answer, CallContext, Failure, ids, stream::Pieces, usage},
};

use super::{
    StepError,
    directives::RequestView,
    filler::filler,
    quoted::quoted,
    step::{Item, Reasoning, ScriptedCall, Step, StepUsage, Tokens},
};
use crate::ScriptedSettings;

/// Maximum size of the text in an answer that is not recorded, in bytes. By default, gRPC clients reject
/// larger messages.
pub(crate) const MAX_TEXT: usize = 4 << 20;
/// Maximum size of the generated text, in bytes, that takes less than a millisecond.
const MAX_BRIEF_TEXT: usize = 64 * 1024;
/// Maximum number of tools that an error message lists.
const MAX_LISTED: usize = 10;

/// Returns the maximum size in bytes of a step's answer, if generating it may take longer than a
/// millisecond.
pub(crate) fn long_answer(step: &Step, request: &Request) -> Option<usize> {
    /// The mean length of a word and a space, rounded up.
    const FILLER_WORD: usize = 7;
    let reasoning = match &step.reasoning {
        Reasoning::Text(text) => text.len(),
        Reasoning::Filler(length) => length.words() * FILLER_WORD,
    };
    let (mut generated, mut copied, mut directives) = (0, 0, 0);
    for item in &step.items {
        match item {
            Item::Filler(length) => generated += length.words() * FILLER_WORD,
            Item::Directive(_) => directives += 1,
            Item::Text(text) | Item::Json(text) => copied += text.len(),
            Item::Calls(calls) => copied += calls.iter().map(|it| it.call.size()).sum::<usize>(),
            Item::Error(_) => {}
        }
    }
    if directives > 0 {
        // A directive writes at most the texts, tools and schemas of the request.
        generated += directives * request.size();
    }
    let is_long = reasoning + generated > MAX_BRIEF_TEXT;
    let others = step.other_choices.iter().filter_map(|it| long_answer(it, request)).sum::<usize>();
    (is_long || others > 0).then(|| reasoning + (generated + copied).min(max_text(step)) + others)
}

/// Returns the maximum size of the text in an answer. A recorded text is sent whatever its size.
fn max_text(step: &Step) -> usize {
    let size = |item: &Item| match item {
        Item::Text(text) | Item::Json(text) => text.len() + SEPARATOR.len(),
        _ => 0,
    };
    let recorded = step.items.iter().filter(|_| step.is_recorded).map(size).sum();
    MAX_TEXT.max(recorded)
}

/// Generates a step's answer. Call ids depend on the component's name.
pub(crate) fn answer(
    step: &Step,
    component: &str,
    settings: &ScriptedSettings,
    request: &Request,
    context: &CallContext,
) -> Result<Answer, StepError> {
    let (delay, stream) = (step.delay, step.stream.or(settings.stream));
    let paced = |end| Answer { end, delay, stream, chunks: step.chunks.clone() };
    let view = RequestView::new(request);
    let (mut text, mut tool_calls) = (AnswerText::new(max_text(step)), Vec::new());
    let mut failure = None;
    for item in &step.items {
        match item {
            Item::Text(item) | Item::Json(item) => text.add(item)?,
            Item::Filler(length) => text.add(&filler(length.words()))?,
            Item::Directive(directive) => text.add(&view.text(directive))?,
            Item::Calls(calls) => {
                if !settings.allow_unoffered {
                    check_offered(calls, &view, context.is_alpha1())?;
                }
                tool_calls.extend(calls.iter().map(|it| it.call.clone()));
            }
            Item::Error(error) => {
                failure = Some((error.clone(), usize::MAX));
                break;
            }
        }
    }
    let (reasoning, mut text) = (reasoning(step, context), text.joined);
    let is_cut = !step.is_recorded && usage::limit(&mut text, request);
    let broken_off = || Some((ProviderError::broken_off(Delivery::BreakOff), step.cut_after?));
    if let Some((error, max_chunks)) = failure.or_else(broken_off) {
        let pieces = Pieces { reasoning, text, max_chunks };
        return Ok(paced(Err(Failure { error, pieces }.into())));
    }
    ids::assign(component, &request.messages, &mut tool_calls);
    let default_reason = default_finish_reason(&tool_calls, is_cut);
    let others = step.other_choices.iter();
    let others = others.map(|other| choice(other, component, settings, request, context));
    let response = Response {
        others: others.collect::<Result<_, _>>()?,
        usage: step_usage(step, request, &text, &tool_calls),
        reasoning,
        content: text,
        finish_reason: step.finish_reason.clone().unwrap_or(default_reason),
        tool_calls,
        model: Some(step.model.as_ref().unwrap_or(&settings.model).clone())
            .filter(|model| !model.is_empty() || step.model.is_none()),
        served_by: None,
        missing: step.empty,
        is_exhausted: step.is_exhausted,
    };
    Ok(paced(Ok(response.into())))
}

/// Generates another choice, which is a step that does not fail.
fn choice(
    step: &Step,
    component: &str,
    settings: &ScriptedSettings,
    request: &Request,
    context: &CallContext,
) -> Result<Choice, StepError> {
    let answer = answer(step, component, settings, request, context)?;
    Ok(answer.end.map(|response| Choice::from(*response)).unwrap_or_default())
}

/// Returns the text of a step's reasoning, unless the call does not show it.
fn reasoning(step: &Step, context: &CallContext) -> String {
    if step.empty.is_some() || !context.shows_reasoning() {
        return String::new();
    }
    match &step.reasoning {
        Reasoning::Text(text) => text.clone(),
        Reasoning::Filler(length) => filler(length.words()),
    }
}

/// What separates the texts of an answer.
const SEPARATOR: &str = "\n\n";

/// Texts joined by blank lines.
struct AnswerText {
    joined: String,
    has_text: bool,
    /// Maximum size in bytes.
    max: usize,
}

impl AnswerText {
    fn new(max: usize) -> Self {
        Self { joined: String::new(), has_text: false, max }
    }

    fn add(&mut self, text: &str) -> Result<(), StepError> {
        if self.has_text {
            self.joined += SEPARATOR;
        }
        self.has_text = true;
        self.joined += text;
        if self.joined.len() > self.max {
            return Err(StepError::new(format!("produces more than {} bytes of text", self.max)));
        }
        Ok(())
    }
}

/// Returns the reason of an answer with these calls, whose text may be cut. A limit never cuts calls.
fn default_finish_reason(calls: &[ToolCall], is_cut: bool) -> FinishReason {
    match (calls, is_cut) {
        ([], true) => FinishReason::Length,
        ([], false) => FinishReason::Stop,
        _ => FinishReason::ToolCalls,
    }
}

/// Checks that the request offers every tool that is called. A call to any other tool is the most
/// common error in scripts.
fn check_offered(
    calls: &[ScriptedCall],
    view: &RequestView<'_>,
    is_alpha1: bool,
) -> Result<(), StepError> {
    let mut calls = calls.iter().map(|it| &it.call);
    let Some(call) = calls.find(|call| !view.offers(&call.name)) else { return Ok(()) };
    let tools = &view.request.tools;
    let listed = tools.iter().take(MAX_LISTED).map(|tool| quoted(&tool.name)).collect::<Vec<_>>();
    let offered = match tools.len().checked_sub(MAX_LISTED) {
        _ if tools.is_empty() && is_alpha1 => "none; ConverseAlpha1 cannot offer any".to_owned(),
        _ if tools.is_empty() => "none".to_owned(),
        None | Some(0) => listed.join(", "),
        Some(more) => format!("{} and {more} more", listed.join(", ")),
    };
    let tool = quoted(&call.name);
    Err(StepError::new(format!(
        "calls {tool}, which the request does not offer; offered: {offered}; to call it anyway, set \
         allow_unoffered in a rule, or allowUnoffered in the component"
    )))
}

fn step_usage(step: &Step, request: &Request, text: &str, calls: &[ToolCall]) -> Option<Usage> {
    let StepUsage::Counted(replaced) = step.usage else { return None };
    let usage = usage::estimate(&request.messages, text, calls);
    let reasoning = step.reasoning.words() as u64;
    let or = |replaced: Option<Tokens>, count| replaced.map_or(count, Tokens::get);
    let completion_tokens = or(replaced.completion_tokens, usage.completion_tokens + reasoning);
    Some(Usage {
        prompt_tokens: or(replaced.prompt_tokens, usage.prompt_tokens),
        completion_tokens,
        reasoning_tokens: or(replaced.reasoning_tokens, reasoning.min(completion_tokens)),
        cached_tokens: or(replaced.cached_tokens, 0),
    })
}
