//! The answer of a run as its caller sees it.

use std::borrow::Cow;

use mynah_core::chat::{ErrorKind, FinishReason, Message, ProviderError, Response, Role, ToolCall};

use crate::tool_loop::{LoopEnd, LoopResult, result::SEPARATOR};

/// Returns the answer of a run whose turns added the messages `turns`. A limit that the run has
/// reached looks like a limit on tokens, and `unfinished` is what was streamed since the last turn.
pub(super) fn answer(
    result: &LoopResult,
    turns: &[Message],
    unfinished: &Unfinished,
) -> Result<Response, ProviderError> {
    let last = result.response.as_ref();
    let (mut reasoning, mut content) = (result.reasoning.clone(), joined_text(turns));
    let finish_reason = match &result.end {
        LoopEnd::Answered | LoopEnd::CallerTools => {
            last.map_or(FinishReason::Stop, |response| response.finish_reason.clone())
        }
        LoopEnd::MaxTurns | LoopEnd::Stalled | LoopEnd::Budget => {
            let (end, turns) = (result.end.as_str(), result.turns);
            tracing::warn!(end, turns, "the tools of the component ran until a limit was reached");
            reasoning += &unfinished.reasoning;
            content += &unfinished.text;
            FinishReason::Length
        }
        LoopEnd::Cancelled => {
            return Err(ProviderError::new(ErrorKind::Cancelled, "the call was cancelled"));
        }
        LoopEnd::ModelError(error) => return Err(error.clone()),
    };
    let pending = result.pending().map(|call| ToolCall {
        id: Some(call.id.clone()),
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    });
    Ok(Response {
        reasoning,
        content,
        tool_calls: pending.collect(),
        finish_reason,
        others: Vec::new(),
        model: last.and_then(|response| response.model.clone()),
        served_by: None,
        usage: result.usage,
        missing: last.and_then(|response| response.missing),
        is_exhausted: last.is_some_and(|response| response.is_exhausted),
    })
}

fn joined_text(turns: &[Message]) -> String {
    let of_model = turns.iter().filter(|message| matches!(message.role, Role::Assistant { .. }));
    let texts: Vec<_> = of_model.map(Message::text).filter(|text| !text.is_empty()).collect();
    match texts.as_slice() {
        [] => String::new(),
        [text] => text.clone().into_owned(),
        texts => texts.join(&Cow::Borrowed(SEPARATOR)),
    }
}

/// What was streamed of a turn that has not ended.
#[derive(Debug, Default)]
pub(super) struct Unfinished {
    reasoning: String,
    text: String,
}

/// Joins what is streamed in the turns of a run.
#[derive(Debug, Default)]
pub(super) struct StreamedTurns {
    pub(super) reasoning: TextJoiner,
    pub(super) text: TextJoiner,
}

impl StreamedTurns {
    pub(super) fn end_turn(&mut self) {
        self.reasoning.turn.clear();
        self.text.turn.clear();
    }

    pub(super) fn into_unfinished(self) -> Unfinished {
        Unfinished { reasoning: self.reasoning.turn, text: self.text.turn }
    }
}

/// Joins the streamed texts of the turns of a run.
#[derive(Debug, Default)]
pub(super) struct TextJoiner {
    has_text: bool,
    /// The text of the current turn, after the separator from earlier ones.
    turn: String,
}

impl TextJoiner {
    /// Returns a piece of text, after a separator if it begins the text of another turn.
    pub(super) fn join(&mut self, text: String) -> String {
        let begins_turn = self.turn.is_empty() && !text.is_empty();
        let text = if begins_turn && self.has_text { format!("{SEPARATOR}{text}") } else { text };
        self.has_text |= begins_turn;
        self.turn += &text;
        text
    }
}
