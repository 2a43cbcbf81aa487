//! The whole answer of a model.

use serde::Deserialize;

use super::error;
use crate::{
    chat::{Choice, FinishReason, Request, Response, ToolCall, ToolChoice, Usage},
    provider::ProviderError,
};

/// The body of an answer, as far as it matters.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Reply {
    #[serde(default)]
    choices: Vec<ChoiceReply>,
    #[serde(default)]
    usage: Option<UsageBody>,
    #[serde(default)]
    model: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ChoiceReply {
    #[serde(default)]
    message: MessageReply,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct MessageReply {
    #[serde(default)]
    content: Option<String>,
    #[serde(default, alias = "reasoning")]
    reasoning_content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<CallReply>>,
}

#[derive(Debug, Deserialize)]
struct CallReply {
    #[serde(default)]
    id: Option<String>,
    function: FunctionReply,
}

#[derive(Debug, Deserialize)]
struct FunctionReply {
    name: String,
    #[serde(default)]
    arguments: String,
}

/// The numbers of tokens.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(super) struct UsageBody {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    #[serde(default)]
    total_tokens: u64,
    #[serde(default)]
    prompt_tokens_details: Option<PromptDetails>,
    #[serde(default)]
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
struct CompletionDetails {
    #[serde(default)]
    reasoning_tokens: Option<u64>,
}

/// Decodes an answer.
pub(super) fn decode(
    body: &[u8],
    request: &Request,
    model: &str,
) -> Result<Response, ProviderError> {
    let reply: Reply = serde_json::from_slice(body).map_err(|it| error::of_body(body, &it))?;
    let (served_by, usage) = (reply.model, reply.usage.and_then(UsageBody::usage));
    response(reply.choices.into_iter().map(choice), served_by, usage, request, model)
}

/// Returns the response with these choices.
pub(super) fn response(
    mut choices: impl Iterator<Item = Choice>,
    served_by: Option<String>,
    usage: Option<Usage>,
    request: &Request,
    model: &str,
) -> Result<Response, ProviderError> {
    let first = choices.next().ok_or_else(error::empty)?;
    let Choice { reasoning, content, tool_calls, finish_reason } = first;
    let response = Response {
        reasoning,
        content,
        tool_calls,
        finish_reason,
        others: choices.collect(),
        model: Some(model.to_owned()),
        served_by: served_by.map(String::into_boxed_str),
        usage,
        ..Response::default()
    };
    check(&response, request)?;
    Ok(response)
}

fn choice(reply: ChoiceReply) -> Choice {
    let MessageReply { content, reasoning_content, refusal, tool_calls } = reply.message;
    let call = |it: CallReply| ToolCall {
        id: it.id.filter(|id| !id.is_empty()),
        name: it.function.name,
        arguments: it.function.arguments,
    };
    Choice {
        reasoning: reasoning_content.unwrap_or_default(),
        content: content.filter(|it| !it.is_empty()).or(refusal).unwrap_or_default(),
        tool_calls: tool_calls.unwrap_or_default().into_iter().map(call).collect(),
        finish_reason: finish_reason(reply.finish_reason.as_deref()),
    }
}

/// Fails if a request requires a call of a tool and there is nothing in any choice.
fn check(response: &Response, request: &Request) -> Result<(), ProviderError> {
    let is_empty = |content: &str, calls: &[ToolCall]| content.is_empty() && calls.is_empty();
    let is_empty = is_empty(&response.content, &response.tool_calls)
        && response.others.iter().all(|it| is_empty(&it.content, &it.tool_calls));
    match is_empty && request.tool_choice == ToolChoice::Required {
        true => Err(error::no_call(request.tools.len())),
        false => Ok(()),
    }
}

pub(super) fn finish_reason(reason: Option<&str>) -> FinishReason {
    FinishReason::from(reason.filter(|it| !it.is_empty()).unwrap_or("unknown"))
}

impl UsageBody {
    /// Returns the numbers, unless all of them are zero.
    pub(super) fn usage(self) -> Option<Usage> {
        let Self { prompt_tokens, completion_tokens, total_tokens, .. } = self;
        let usage = Usage {
            prompt_tokens,
            completion_tokens,
            reasoning_tokens: self
                .completion_tokens_details
                .and_then(|it| it.reasoning_tokens)
                .unwrap_or_default(),
            cached_tokens: self
                .prompt_tokens_details
                .and_then(|it| it.cached_tokens)
                .unwrap_or_default(),
        };
        (prompt_tokens | completion_tokens | total_tokens != 0).then_some(usage)
    }
}
