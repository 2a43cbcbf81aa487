//! Says why tools are not called.

use std::collections::BTreeSet;

use mynah_core::{
    base::work::{Stopped, Work},
    chat::{Message, Request, Role, ToolChoice},
};

use super::{
    effort::Effort,
    matching::{Mention, mentions},
    nearest,
    text::canonical_words,
};

/// Returns the tools that a request does not call, each with the reason.
pub(super) fn reasons(
    request: &Request,
    is_called: &[bool],
    effort: &Effort,
    work: &Work,
) -> Result<Vec<(usize, String)>, Stopped> {
    let uncalled: Vec<_> = (0..is_called.len()).filter(|tool| !is_called[*tool]).collect();
    if let Some(reason) = reason_of_request(request) {
        return Ok(uncalled.into_iter().map(|tool| (tool, reason.clone())).collect());
    }
    let is_user = |message: &&Message| message.role == Role::User;
    let users: Vec<_> = request.messages.iter().filter(is_user).cloned().collect();
    work.keep(users.iter().map(Message::text_len).sum())?;
    // Without answers, mentions are found that have had their call.
    let mentions = mentions(&users, &request.tools, None, effort)?;
    let text = users.last().map(Message::text).unwrap_or_default();
    let names = uncalled.iter().map(|tool| request.tools[*tool].name.as_str());
    let nearest = nearest::reasons(names, &text, work)?;
    let reason = |(tool, nearest): (usize, String)| {
        let mention = mentions.binary_search_by_key(&tool, |it| it.tool).ok();
        let reason = mention.map(|it| {
            let words = said_words(&request.tools[tool].name, &users, &mentions[it]).join("', '");
            let then = match request.single_tool_call {
                true => "parallel_tool_calls is false",
                false => "it was called since",
            };
            format!("'{words}' said, but {then}")
        });
        (tool, reason.unwrap_or(nearest))
    };
    Ok(uncalled.into_iter().zip(nearest).map(reason).collect())
}

/// Returns why a request calls no tools, or only one.
fn reason_of_request(request: &Request) -> Option<String> {
    match &request.tool_choice {
        _ if !request.tool_results().is_empty() => {
            Some("the request ends with tool results".to_owned())
        }
        ToolChoice::None => Some("tool_choice is none".to_owned()),
        ToolChoice::Tool(name) => Some(format!("tool_choice is {name}")),
        ToolChoice::Auto | ToolChoice::Required => None,
    }
}

/// Returns the words of a mention that are words of the tool's name, without repetitions. If there are
/// none, returns the text of the mention.
pub(super) fn said_words(name: &str, messages: &[Message], mention: &Mention) -> Vec<String> {
    let text = messages[mention.message].text();
    let (text, name) = (&text[mention.words.clone()], BTreeSet::from_iter(canonical_words(name)));
    let mut seen = BTreeSet::new();
    let tokens = text.split_whitespace().map(|it| it.trim_matches(|c: char| !c.is_alphanumeric()));
    let is_of_name = |token: &&str| canonical_words(token).iter().any(|word| name.contains(word));
    let said = tokens.filter(is_of_name).filter(|token| seen.insert(token.to_lowercase()));
    let said: Vec<_> = said.map(str::to_owned).collect();
    if said.is_empty() { vec![text.to_owned()] } else { said }
}
