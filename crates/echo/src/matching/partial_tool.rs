//! How much of a tool's name and description has to be said if not all of the name is.

use std::collections::{BTreeMap, BTreeSet};

use super::terms::{Term, Terms, first_word, generic_words, namespace};
use crate::text::{
    canonical,
    lexicon::{
        COMMON_NOUNS, DESCRIBING_VERBS, contains, is_common_verb, is_telling, is_vague_verb,
        requests,
    },
    words,
};

/// Verbs of tools that no question asks for without saying them.
const WRITING_VERBS: &str = "create add delete remove update change insert register";

/// A tool, as far as parts of its name matter.
#[derive(Debug, Default)]
pub(super) struct PartialTool {
    /// The canonical words of the name.
    pub(super) words: Vec<String>,
    /// The words of the name that say what the tool is for.
    pub(super) name: BTreeSet<Term>,
    /// Those that any question may have: "What time is it?"
    common: Vec<Term>,
    /// The last of them.
    head: Option<Term>,
    /// The first word of the name that is not generic.
    pub(super) action: Option<Term>,
    /// The verbs in the name that ask for an action.
    verbs: Vec<Term>,
    /// The generic words of the name.
    generic: Vec<Term>,
    /// The verbs of requests for the action, each with the word that the request has to have.
    pub(super) requests: Vec<(Term, Option<&'static str>)>,
}

/// What some words say of a tool.
pub(super) struct Said<'t> {
    /// The terms that they are.
    pub(super) terms: &'t BTreeSet<Term>,
    /// How many words of its name.
    pub(super) name: usize,
    /// How many words of its description.
    pub(super) described: usize,
    /// Whether a number is among them.
    pub(super) has_number: bool,
    /// Whether they begin with a verb that asks for the tool's.
    pub(super) has_verb: bool,
    /// Whether the tool wants a value among them.
    pub(super) has_value: bool,
    /// Whether they begin with a noun of the tool, which the others describe.
    pub(super) is_described: bool,
}

/// How well a tool fits a part of a sentence: in all, by the number of words of its name that were
/// said, and by whether all of them were.
pub(super) type Score = (usize, usize, bool);

impl PartialTool {
    /// Reads a name, of which words that several names start with are no part, and the start of a description.
    pub(super) fn new(
        name: &[String],
        description: &str,
        prefixes: &BTreeMap<&[String], usize>,
        terms: &Terms,
    ) -> Self {
        // A verb that several names have is no prefix: `create_task`, `create_sprint`
        let starts_with_verb = first_word(name).is_some_and(|it| is_common_verb(it));
        let is_common = |end: &usize| {
            !starts_with_verb && prefixes.get(&name[..*end]).is_some_and(|count| *count > 1)
        };
        let common = (0..name.len()).rev().find(is_common).unwrap_or(0);
        let prefix = common.max(namespace(name));
        let is_generic = generic_words(name);
        let (generic, telling): (Vec<_>, Vec<_>) =
            (prefix..name.len()).partition(|at| is_generic[*at]);
        let generic = generic.iter().filter_map(|at| terms.word(&name[*at])).collect();
        let telling: Vec<&String> = telling.iter().map(|at| &name[*at]).collect();
        let action = (namespace(name)..name.len()).find(|at| !is_generic[*at]);
        let requests = action.iter().flat_map(|at| requests(&name[*at]));
        let requests = requests.filter_map(|it| Some((terms.stem(it.verb)?, it.particle)));
        let action = action.and_then(|at| terms.stem(&name[at]));
        let described = description_verb(description).and_then(|it| terms.stem(&it));
        let described = described.filter(|term| action != Some(*term)).map(|term| (term, None));
        let requests = requests.chain(described).collect();
        let is_telling = |word: &&&String| !is_vague_verb(word);
        let all = name.to_vec();
        let mut words: Vec<_> = telling.iter().filter(is_telling).copied().collect();
        if words.is_empty() {
            words.clone_from(&telling);
        }
        let head = words.last().and_then(|word| terms.stem(word));
        let common = words.iter().filter(|word| contains(COMMON_NOUNS, word));
        let common = common.filter_map(|word| terms.stem(word)).collect();
        let name = words.iter().filter_map(|word| terms.stem(word)).collect();
        let verbs = telling.into_iter().filter(|word| is_common_verb(word));
        let verbs = verbs.filter_map(|word| terms.stem(word)).collect();
        Self { words: all, name, action, common, head, verbs, generic, requests }
    }

    /// Returns how well the tool fits, or `None` if too little was said.
    pub(super) fn score(&self, said: &Said, is_only: bool) -> Option<Score> {
        // "Set an alarm" asks for `add_alarm` less than for `get_alarm`.
        let has_verbs = said.has_verb || self.verbs.iter().all(|verb| said.terms.contains(verb));
        let fits = if is_only { self.fits_alone(said) } else { self.fits(said, has_verbs) };
        let has_generic = self.generic.iter().any(|word| said.terms.contains(word));
        let total =
            2 * said.name + said.described + usize::from(has_verbs) + usize::from(has_generic);
        fits.then_some((total, said.name, said.name == self.name.len()))
    }

    /// Returns `true` for a tool that creates or changes something if its verb is not among some terms.
    pub(super) fn lacks_verb(&self, terms: &BTreeSet<Term>) -> bool {
        first_word(&self.words).is_some_and(|verb| contains(WRITING_VERBS, verb))
            && !self.verbs.iter().any(|verb| terms.contains(verb))
    }

    /// Returns `true` if some terms have the last telling word of the name.
    pub(super) fn has_head(&self, terms: &BTreeSet<Term>) -> bool {
        self.head.is_some_and(|head| terms.contains(&head))
    }

    /// Returns `true` if enough was said for one of several tools.
    fn fits(&self, said: &Said, has_verbs: bool) -> bool {
        let all = self.name.len();
        let is_whole = said.name == all && (all > 1 || has_verbs);
        let needed = if 2 * said.name < all { 2 } else { 1 };
        let is_common =
            self.verbs.is_empty() && self.common.iter().any(|it| said.terms.contains(it));
        let is_half = 2 * said.name >= all && said.has_value;
        let is_supported = is_half || said.is_described || said.described >= needed;
        is_whole || said.name > 1 || !is_common && is_supported
    }

    /// Returns `true` if enough was said for the only tool, which has no rivals.
    fn fits_alone(&self, said: &Said) -> bool {
        let all = self.name.len();
        let is_half = 2 * said.name >= all;
        let needed = if said.name > 1 || said.name == all { 1 } else { 2 };
        let has_head = self.has_head(said.terms);
        said.name == all && (all > 1 || said.has_verb)
            || is_half && has_head && said.has_number
            || (is_half || said.name > 1) && said.described >= needed
    }
}

/// Returns the word that a description begins with if it is likely the verb of what the tool does: "Enter a
/// runner into a race".
pub(super) fn description_verb(description: &str) -> Option<String> {
    let first = words(description).next()?;
    let verb = canonical(&description[first.range]);
    let is_telling =
        is_telling(&verb) && !is_vague_verb(&verb) && !contains(DESCRIBING_VERBS, &verb);
    is_telling.then_some(verb)
}
