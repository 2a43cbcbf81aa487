//! What a step says to a request.

use super::{
    Mistake, ScriptedSettings,
    chain::{Item, Step},
    directives::Scene,
    filler::filler,
    json::quoted,
};
use crate::{
    chat::{FinishReason, ProviderError, Request, Response, ToolCall, Usage},
    provider::{ids, usage},
};

/// Most bytes of text in an answer: no client takes more.
const MAX_TEXT: usize = 4 << 20;
/// Most tools on offer that a mistake names.
const MAX_NAMED: usize = 10;

/// One turn.
pub(super) struct Spoken {
    /// What is said, also where the turn fails after it.
    pub(super) text: String,
    pub(super) end: Result<Response, ProviderError>,
}

/// What the step says, as the component of that name.
pub(super) fn speak(
    step: &Step,
    component: &str,
    settings: &ScriptedSettings,
    request: &Request,
) -> Result<Spoken, Mistake> {
    let scene = Scene::new(request);
    let (mut text, mut tool_calls) = (Text::default(), Vec::new());
    for item in &step.items {
        match item {
            Item::Text(words) => text.add(words)?,
            Item::Filler(words) => text.add(&filler(*words as usize))?,
            Item::Directive(directive) => text.add(&scene.text(directive))?,
            Item::Calls(calls) if !settings.allow_unoffered => {
                check_offered(calls, &scene)?;
                tool_calls.extend_from_slice(calls);
            }
            Item::Calls(calls) => tool_calls.extend_from_slice(calls),
            Item::Error(error) => {
                return Ok(Spoken { text: text.joined, end: Err(error.clone()) });
            }
        }
    }
    ids::assign(component, &request.messages, &mut tool_calls);
    let text = text.joined;
    let end = Response {
        usage: Some(cost(step, request, &text, &tool_calls)),
        content: text.clone(),
        finish_reason: step.finish_reason.unwrap_or(natural_end(&tool_calls)),
        tool_calls,
        model: Some(settings.model.clone()),
    };
    Ok(Spoken { text, end: Ok(end) })
}

/// Texts, with a blank line between them.
#[derive(Default)]
struct Text {
    joined: String,
    begun: bool,
}

impl Text {
    fn add(&mut self, text: &str) -> Result<(), Mistake> {
        if self.begun {
            self.joined += "\n\n";
        }
        self.begun = true;
        self.joined += text;
        if self.joined.len() > MAX_TEXT {
            return Err(Mistake::new(format!("says more than {MAX_TEXT} bytes")));
        }
        Ok(())
    }
}

fn natural_end(calls: &[ToolCall]) -> FinishReason {
    if calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls }
}

/// A call to a tool that is not on offer is the most common mistake in a script.
fn check_offered(calls: &[ToolCall], scene: &Scene<'_>) -> Result<(), Mistake> {
    let Some(call) = calls.iter().find(|call| !scene.offers(&call.name)) else { return Ok(()) };
    let tools = &scene.request.tools;
    let named = tools.iter().take(MAX_NAMED).map(|tool| quoted(&tool.name)).collect::<Vec<_>>();
    let offered = match tools.len().checked_sub(MAX_NAMED) {
        _ if tools.is_empty() => "none; ConverseAlpha1 cannot offer any".to_owned(),
        None | Some(0) => named.join(", "),
        Some(more) => format!("{} and {more} more", named.join(", ")),
    };
    let tool = quoted(&call.name);
    Err(Mistake::new(format!("calls {tool}, which the request does not offer; offered: {offered}")))
}

fn cost(step: &Step, request: &Request, text: &str, calls: &[ToolCall]) -> Usage {
    let usage = usage::estimate(&request.messages, text, calls);
    let reasoning_tokens = u64::from(step.reasoning);
    let completion_tokens = usage.completion_tokens + reasoning_tokens;
    Usage {
        prompt_tokens: step.usage.prompt_tokens.unwrap_or(usage.prompt_tokens),
        completion_tokens: step.usage.completion_tokens.unwrap_or(completion_tokens),
        reasoning_tokens,
    }
}
