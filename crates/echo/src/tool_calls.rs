//! The tool calls in a reply.

use mynah_core::{
    chat::{LazyJson, Message, Request, ToolCall, ToolChoice},
    provider::Unseen,
};

use super::{
    arguments::{self, Context, Generated, ReplyBudget},
    effort::{Effort, Unfinished},
    matching::{Mention, mentions},
    schemas,
    settings::{ArgumentStyle, EchoSettings},
};

/// Maximum size in bytes of all schemas that a brief effort reads.
pub(super) const MAX_BRIEF_SCHEMAS: usize = 8 * 1024;

/// A tool to call and, unless it is called without being mentioned, its mention.
struct Selection {
    tool: usize,
    mention: Option<Mention>,
}

/// Returns the calls to make, without ids, in the order in which the request lists the tools.
pub(super) fn tool_calls(
    settings: &EchoSettings,
    request: &Request,
    unseen: Option<&Unseen>,
    effort: &Effort,
) -> Result<Vec<ToolCall>, Unfinished> {
    let selected = select(request, unseen, effort)?;
    if selected.is_empty() {
        return Ok(Vec::new());
    }
    let schemas = selected.iter().filter_map(|it| request.tools[it.tool].parameters.as_ref());
    effort.allow(schemas.map(LazyJson::size).sum::<usize>() > MAX_BRIEF_SCHEMAS)?;
    let question = request.last_user().map(Message::text).unwrap_or_default();
    let mut budget = ReplyBudget::new(effort);
    let readings = selected.iter().filter_map(|it| Some(&it.mention.as_ref()?.reading));
    readings.for_each(|reading| budget.keep(reading.clone()));
    let (mut calls, mut violations) = (Vec::new(), Vec::new());
    for selection in selected {
        let Generated { json: arguments, possible_violation } =
            arguments(settings, request, &selection, &question, &mut budget);
        budget.check()?;
        let name = request.tools[selection.tool].name.clone();
        violations.extend(possible_violation.map(|violation| (name.clone(), violation)));
        calls.push(ToolCall { id: None, name, arguments });
    }
    for (tool, violation) in violations {
        tracing::warn!(tool, "arguments may violate the tool's schema: {violation}");
    }
    Ok(calls)
}

/// Selects the tools to call, based on mentions and the tool choice.
fn select(
    request: &Request,
    unseen: Option<&Unseen>,
    effort: &Effort,
) -> Result<Vec<Selection>, Unfinished> {
    if request.tools.is_empty() || request.tool_choice == ToolChoice::None {
        return Ok(Vec::new());
    }
    let mut mentions = mentions(&request.messages, &request.tools, unseen, effort)?;
    let select = |mention: Mention| Selection { tool: mention.tool, mention: Some(mention) };
    Ok(match &request.tool_choice {
        ToolChoice::Tool(name) => {
            let tool = request.tools.iter().position(|tool| tool.name == *name);
            mentions.retain(|mention| Some(mention.tool) == tool);
            tool.map(|tool| Selection { tool, mention: mentions.pop() }).into_iter().collect()
        }
        ToolChoice::Required if mentions.is_empty() => vec![Selection { tool: 0, mention: None }],
        _ => mentions.into_iter().map(select).collect(),
    })
}

fn arguments(
    settings: &EchoSettings,
    request: &Request,
    selection: &Selection,
    question: &str,
    budget: &mut ReplyBudget,
) -> Generated {
    let tool = &request.tools[selection.tool];
    // If a tool is called without being mentioned, its arguments are extracted from the question.
    let mention = selection.mention.as_ref();
    let text = mention.map_or(question, |it| &it.reading.text);
    let context = Context {
        subject: &tool.name,
        mention: text,
        nearest: mention.map_or([0..0, 0..0], |it| [it.clause.clone(), it.sentence.clone()]),
        question,
        literal: settings.arguments == ArgumentStyle::Literal,
        optional: settings.optional,
    };
    let schema = schemas::described(tool, budget);
    let described = schema.as_ref().map(|schema| schema.described());
    arguments::arguments(described, &context, budget)
}
