//! The tool calls in a reply.

use std::ops::Range;

use mynah_core::{
    chat::{LazyJson, Message, Request, ToolChoice},
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

/// Maximum length in bytes of a message whose sentences may all state values for further calls. Most of
/// what a longer one says is about something else.
const MAX_REACH: usize = 1024;

/// A tool to call and, unless it is called without being mentioned, its mention.
#[derive(Clone)]
pub(super) struct Selection {
    pub(super) tool: usize,
    pub(super) mention: Option<Mention>,
}

/// A call to a selected tool.
pub(super) struct SelectedCall {
    pub(super) selection: Selection,
    pub(super) arguments: Generated,
}

/// Returns the calls to make, in the order in which the request lists the tools.
pub(super) fn tool_calls(
    settings: &EchoSettings,
    request: &Request,
    unseen: Option<&Unseen>,
    effort: &Effort,
    is_traced: bool,
) -> Result<Vec<SelectedCall>, Unfinished> {
    let selected = select(request, unseen, effort)?;
    if selected.is_empty() {
        return Ok(Vec::new());
    }
    let schemas = selected.iter().filter_map(|it| request.tools[it.tool].parameters.as_ref());
    effort.allow(schemas.map(LazyJson::size).sum::<usize>() > MAX_BRIEF_SCHEMAS)?;
    let question = request.last_user().map(Message::text).unwrap_or_default();
    let starts = mention_starts(&selected);
    let mut budget = ReplyBudget::new(effort);
    let readings = selected.iter().filter_map(|it| Some(&it.mention.as_ref()?.reading));
    readings.for_each(|reading| budget.keep(reading.clone()));
    let mut calls = Vec::new();
    for selection in &selected {
        let generated =
            arguments(settings, request, selection, &starts, &question, is_traced, &mut budget);
        budget.check()?;
        let call = |arguments| SelectedCall { selection: selection.clone(), arguments };
        calls.extend(generated.into_iter().map(call));
    }
    for SelectedCall { selection, arguments } in &calls {
        if let Some(violation) = &arguments.possible_violation {
            let tool = request.tools[selection.tool].name.as_str();
            tracing::warn!(tool, "arguments may violate the tool's schema: {violation}");
        }
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

/// Generates the arguments of each call to a selected tool.
fn arguments(
    settings: &EchoSettings,
    request: &Request,
    selection: &Selection,
    starts: &[(usize, usize)],
    question: &str,
    is_traced: bool,
    budget: &mut ReplyBudget,
) -> Vec<Generated> {
    let tool = &request.tools[selection.tool];
    // If a tool is called without being mentioned, its arguments are extracted from the question.
    let mention = selection.mention.as_ref();
    let text = mention.map_or(question, |it| &it.reading.text);
    let context = Context {
        subject: &tool.name,
        mention: text,
        nearest: mention.map_or([0..0, 0..0], |it| [it.clause.clone(), it.sentence.clone()]),
        reach: reach(mention, starts, text.len()),
        is_shared: mention.is_some_and(|it| of_message(it, starts).len() > 1),
        question,
        literal: settings.arguments == ArgumentStyle::Literal,
        optional: settings.optional,
        is_traced,
    };
    let schema = schemas::described(tool, budget);
    let described = schema.as_ref().map(|schema| schema.described());
    arguments::arguments(described, &context, budget)
}

/// Returns the messages and the positions in them where tools are mentioned, sorted.
fn mention_starts(selected: &[Selection]) -> Vec<(usize, usize)> {
    let mentions = selected.iter().filter_map(|it| it.mention.as_ref());
    let mut starts: Vec<_> = mentions.map(|it| (it.message, it.clause.start)).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// Returns the bytes of a message that may state values for further calls: all, in a long message only
/// the sentence with the mention, or, if it mentions several tools, from the mention to the next one.
fn reach(mention: Option<&Mention>, starts: &[(usize, usize)], len: usize) -> Range<usize> {
    let Some(mention) = mention else { return 0..len };
    let own = mention.clause.start;
    let starts = of_message(mention, starts);
    let next = starts.iter().find(|start| start.1 > own);
    match starts {
        [_, _, ..] => own..next.map_or(len, |start| start.1),
        _ if len > MAX_REACH => mention.sentence.clone(),
        _ => 0..len,
    }
}

/// Returns the positions where the message of a mention mentions tools.
fn of_message<'s>(mention: &Mention, starts: &'s [(usize, usize)]) -> &'s [(usize, usize)] {
    let before = |message| starts.partition_point(|start| start.0 < message);
    &starts[before(mention.message)..before(mention.message + 1)]
}
