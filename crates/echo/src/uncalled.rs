//! Says why tools are not called.

use std::collections::{BTreeMap, BTreeSet};

use mynah_core::{
    base::work::{Stopped, Work},
    chat::{Message, Request, Role, ToolChoice},
};

use super::{
    effort::Effort,
    facts::Reading,
    matching::{Mention, mentions},
    text::{canonical, canonical_words, lexicon::is_generic, sentences, stem, words},
};

/// The steps for a sentence with a word.
const STEPS: usize = 256;
/// The maximum number of bytes of a text in which words are found.
const MAX_TEXT: usize = 64 * 1024;

/// The stems of the words of a text outside of quotes, each with its sentences, and with whether it is
/// negated there.
type Said = BTreeMap<String, BTreeMap<usize, bool>>;

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
    let said = said(&text);
    let then = match request.single_tool_call {
        true => "parallel_tool_calls is false",
        false => "it was called since",
    };
    let reason = |tool: usize| {
        let name = &request.tools[tool].name;
        Ok(match mentions.binary_search_by_key(&tool, |mention| mention.tool) {
            Ok(at) => {
                let words = said_words(name, &mentions[at]).join("', '");
                (tool, format!("'{words}' said, but {then}"))
            }
            Err(_) => (tool, missing(name, &said, work)?),
        })
    };
    uncalled.into_iter().map(reason).collect()
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

/// Returns the words of the start of a text.
fn said(text: &str) -> Said {
    let text = &text[..text.floor_char_boundary(MAX_TEXT)];
    let (reading, mut said) = (Reading::new(text), Said::new());
    for (number, range) in sentences(text).enumerate() {
        let sentence = reading.sentence(range);
        for word in sentence.words.iter().filter(|word| word.is_free()) {
            let found = said.entry(stem(sentence.form(word)).into_owned()).or_default();
            found.entry(number).or_insert(word.is_negated);
        }
    }
    said
}

/// Returns why a text does not mention a tool, by the first sentence that has most words of its name.
fn missing(name: &str, said: &Said, work: &Work) -> Result<String, Stopped> {
    let wanted = distinctive_words(name);
    let mut by_sentence: BTreeMap<usize, BTreeMap<&str, bool>> = BTreeMap::new();
    let mut is_all_said = true;
    for word in &wanted {
        let found = said.get(&*stem(&canonical(word)));
        is_all_said &= found.is_some();
        work.spend(STEPS * (1 + found.map_or(0, BTreeMap::len)))?;
        for (sentence, is_negated) in found.into_iter().flatten() {
            by_sentence.entry(*sentence).or_default().insert(word, *is_negated);
        }
    }
    let nearest = by_sentence.into_values().rev().max_by_key(BTreeMap::len).unwrap_or_default();
    let quoted = |words: &[&str]| {
        words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(", ")
    };
    let (near, other): (Vec<_>, Vec<_>) = wanted.iter().partition(|it| nearest.contains_key(*it));
    Ok(match (near.as_slice(), other.as_slice()) {
        ([], []) => "the name has no words".to_owned(),
        ([], other) => format!("{} not said", quoted(other)),
        (near, []) if nearest.values().any(|is_negated| *is_negated) => {
            format!("{} said, but negated", quoted(near))
        }
        (near, []) => format!("{} said, but another tool has these words", quoted(near)),
        _ if is_all_said => format!("{} said, but not in one sentence", quoted(&wanted)),
        (near, other) => format!("{} said, {} not", quoted(near), quoted(other)),
    })
}

/// Returns the words of a name without its prefix and without generic words, unless all are generic.
fn distinctive_words(name: &str) -> Vec<&str> {
    let part = name.rsplit_once("__").map_or(name, |(_, part)| part);
    let all: Vec<_> = words(part).map(|word| &part[word.range]).collect();
    let is_distinctive = |word: &&str| !is_generic(&canonical(word));
    let distinctive: Vec<_> = all.iter().copied().filter(is_distinctive).collect();
    if distinctive.is_empty() { all } else { distinctive }
}

/// Returns the words of a mention that are words of the tool's name, without repetitions. If there are
/// none, returns the text of the mention.
pub(super) fn said_words(name: &str, mention: &Mention) -> Vec<String> {
    let text = &mention.reading.text[mention.words.clone()];
    let name = BTreeSet::from_iter(canonical_words(name));
    let mut seen = BTreeSet::new();
    let tokens = text.split_whitespace().map(|it| it.trim_matches(|c: char| !c.is_alphanumeric()));
    let is_of_name = |token: &&str| canonical_words(token).iter().any(|word| name.contains(word));
    let said = tokens.filter(is_of_name).filter(|token| seen.insert(token.to_lowercase()));
    let said: Vec<_> = said.map(str::to_owned).collect();
    if said.is_empty() { vec![text.to_owned()] } else { said }
}
