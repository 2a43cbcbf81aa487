//! The offered tools, indexed by the words of their names.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use mynah_core::chat::Tool;

use super::{
    arithmetic::{ARITHMETIC, OPERATORS},
    categories::Category,
    filter::Filter,
    partial::{PartialIndex, is_search},
    partial_tool::description_verb,
    spellings::spellings,
    terms::{Term, Terms, generic_words, namespace, no_topic},
};
use crate::text::{
    canonical, canonical_words,
    lexicon::{
        ARITHMETIC_VERBS, OFFERS, SEARCHES, is_common_verb, is_number, is_verb, list, requests,
    },
    words,
};

/// The maximum number of words in a name that is matched by all rules. Longer names are matched
/// only as a name.
const MAX_WORDS: usize = 16;
/// The frequency of numbers, which are the rarest word of no name with another word.
const NUMBER_FREQUENCY: usize = usize::MAX / 2;
/// The maximum number of bytes of a tool's description that are read.
const MAX_DESCRIPTION: usize = 512;

/// An index of the offered tools.
#[derive(Default)]
pub(super) struct ToolIndex {
    /// The names and the descriptions of the tools.
    sources: Vec<(String, String)>,
    /// The first tool with each name.
    pub(super) by_name: BTreeMap<String, usize>,
    pub(super) terms: Terms,
    pub(super) tools: Vec<ToolTerms>,
    /// By term, the tools that a sentence with the term may mention. Every sentence that mentions a
    /// tool has such a term.
    anchored: Vec<Vec<usize>>,
    /// By term, whether it mentions a tool only as the verb of a request.
    is_request: Vec<bool>,
    /// The filters of sentences that some rule may match, by whether the last rule is one of them.
    filters: [OnceCell<Option<Filter>>; 2],
    partial: OnceCell<PartialIndex>,
}

/// The terms by which a tool is found.
#[derive(Debug, Default)]
pub(super) struct ToolTerms {
    /// The name and, if it has a prefix that ends in `__`, the part after it.
    pub(super) names: Vec<Name>,
    /// The words that ask for a tool in the same category.
    pub(super) keywords: Vec<Term>,
    /// The verb that asks for this tool and no other.
    pub(super) verb: Option<Term>,
}

/// A name, split into words.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) words: Vec<Term>,
    pub(super) generic: BTreeSet<Term>,
    /// Whether all words are generic.
    pub(super) is_generic: bool,
    /// The stems of the words that are not generic.
    pub(super) stems: BTreeSet<Term>,
    /// All words joined into one.
    pub(super) joined: Term,
}

impl ToolIndex {
    /// Indexes tools, in order.
    pub(super) fn new(tools: &[Tool]) -> Self {
        let mut index = Self::default();
        for (at, tool) in tools.iter().enumerate() {
            let name = tool.name.as_str();
            index.sources.push((name.to_owned(), description(tool).to_owned()));
            // Of tools with the same name, only the first is matched.
            let is_first = *index.by_name.entry(name.to_owned()).or_insert(at) == at;
            let tool = if is_first { index.read_tool(name) } else { ToolTerms::default() };
            index.tools.push(tool);
        }
        index.add_requests();
        index.keep_unique_verbs();
        index.add_anchors();
        index
    }

    /// Returns `true` if this is the index of these tools.
    pub(super) fn is_for(&self, tools: &[Tool]) -> bool {
        let sources = self.sources.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        sources.eq(tools.iter().map(|tool| (tool.name.as_str(), description(tool))))
    }

    /// Returns the tools that a sentence with this term may mention.
    pub(super) fn anchored(&self, term: Term) -> &[usize] {
        self.anchored.get(term).map_or(&[], Vec::as_slice)
    }

    /// Returns the index for the rule that a part of a name suffices for.
    pub(super) fn partial(&self) -> &PartialIndex {
        self.partial.get_or_init(|| {
            let verbs = self.tools.iter().map(|tool| tool.verb);
            PartialIndex::new(&self.sources, &self.terms, verbs)
        })
    }

    /// Returns `true` for a term that every sentence of a certain mention has, and in the last text for
    /// any word of a name.
    pub(super) fn is_anchor(&self, term: Term, is_last: bool) -> bool {
        !self.anchored(term).is_empty() || is_last && self.partial().has(term)
    }

    /// Returns `true` for an anchor that also counts within a clause.
    pub(super) fn counts_anywhere(&self, term: Term, is_last: bool) -> bool {
        !self.anchored(term).is_empty() && !self.is_request[term]
            || is_last && self.partial().has_anywhere(term)
    }

    /// Returns a filter that finds anchors and arithmetic, or `None` if all text must be searched. The
    /// filter is built on first use: for short texts, it is not worth its cost.
    pub(super) fn filter(&self, is_last: bool) -> Option<&Filter> {
        let build = || {
            let anchors = self.terms.all().filter(|(_, term)| self.is_anchor(*term, is_last));
            let arithmetic = ARITHMETIC_VERBS.into_iter().chain(OPERATORS);
            let arithmetic = arithmetic.filter(|_| self.terms.word(ARITHMETIC).is_some());
            Filter::new(anchors.map(|(word, _)| word).chain(arithmetic))
        };
        self.filters[usize::from(is_last)].get_or_init(build).as_ref()
    }

    /// Estimates the size in bytes.
    pub(super) fn size(&self) -> usize {
        let texts: usize = self.sources.iter().map(|(name, text)| name.len() + text.len()).sum();
        size_of::<Self>() + 8 * texts + 512 * (self.sources.len() + self.terms.len())
    }

    fn read_tool(&mut self, name: &str) -> ToolTerms {
        let mut tool = ToolTerms::default();
        let part = name.rsplit_once("__").map(|(_, part)| part);
        for name in [Some(name), part].into_iter().flatten() {
            let forms = canonical_words(name);
            let generic = no_topic(&forms);
            let telling = (0..forms.len()).filter(|at| !generic[*at]);
            let distinctive: Vec<_> = telling.clone().map(|at| &forms[at]).collect();
            let start = namespace(&forms);
            let first = telling.clone().find(|at| *at >= start);
            let verb = first.map(|at| &forms[at]).filter(|verb| !is_common_verb(verb));
            tool.verb = verb.map(|verb| self.terms.add_word(verb.to_string()));
            if let Some(category) = category(&distinctive).filter(|_| forms.len() <= MAX_WORDS) {
                tool.keywords =
                    category.keywords().map(|word| self.terms.add_word(canonical(word))).collect();
            }
            if !forms.is_empty() {
                tool.names.push(self.read_name(name, &forms, &generic));
            }
            for forms in spellings(name) {
                let name = self.read_name(name, &forms, &generic_words(&forms));
                // Words of one letter would be topics.
                tool.names.push(Name { stems: BTreeSet::new(), ..name });
            }
        }
        tool
    }

    fn read_name(&mut self, name: &str, forms: &[String], is_generic: &[bool]) -> Name {
        let joined: String = words(name).map(|word| &name[word.range]).collect();
        let joined = self.terms.add_word(canonical(&joined));
        let words: Vec<_> = forms.iter().map(|form| self.terms.add_word(form.clone())).collect();
        let (generic, distinctive): (Vec<_>, Vec<_>) =
            (0..forms.len()).partition(|at| is_generic[*at]);
        let stems = distinctive.iter().map(|at| self.terms.add_stem(&forms[*at])).collect();
        // "reserve" is no other word for that of `search_books`.
        if let Some(verb) = forms.iter().find(|word| is_verb(word) && !is_number(word)) {
            self.terms.add_same_verbs(verb);
        }
        let generic = generic.into_iter().map(|at| words[at]).collect();
        Name { words, generic, is_generic: distinctive.is_empty(), stems, joined }
    }

    /// Adds the verbs of requests for the tools, which may be those of other tools.
    fn add_requests(&mut self) {
        for (name, description) in &self.sources {
            if let Some(verb) = description_verb(description) {
                self.terms.add_stem(&verb);
            }
            let words = canonical_words(name);
            let searches = list(SEARCHES).chain(list(OFFERS)).filter(|_| is_search(&words));
            let requests = words.iter().flat_map(|word| requests(word)).map(|it| it.verb);
            requests.chain(searches).for_each(|verb| {
                self.terms.add_stem(verb);
            });
        }
    }

    /// Removes the verbs that several tools have.
    fn keep_unique_verbs(&mut self) {
        let mut counts = BTreeMap::new();
        let verbs = self.tools.iter().filter_map(|tool| tool.verb);
        verbs.for_each(|verb| *counts.entry(verb).or_insert(0) += 1);
        for tool in &mut self.tools {
            tool.verb.take_if(|verb| counts[verb] > 1);
        }
    }

    fn add_anchors(&mut self) {
        let count = self.terms.len();
        let mut frequencies = vec![0; count];
        // Many texts that mention no tool have numbers.
        let numbers = self.terms.all().filter(|(word, _)| is_number(word));
        numbers.for_each(|(_, term)| frequencies[term] = NUMBER_FREQUENCY);
        let names = self.tools.iter().flat_map(|tool| &tool.names);
        let words = names.flat_map(|name| name.words.iter().chain(&name.stems));
        words.for_each(|term| frequencies[*term] += 1);
        let mut anchored = vec![Vec::new(); count];
        for (at, tool) in self.tools.iter().enumerate() {
            let rarest = |name: &Name| {
                // A word has the stem that the name has.
                let words = name.words.iter().filter(|_| name.stems.is_empty());
                // The noun stands last, and is rarer in texts than the verb.
                let terms = name.stems.iter().chain(words).rev().copied();
                terms.min_by_key(|term| frequencies[*term])
            };
            let names = tool.names.iter().flat_map(|name| [Some(name.joined), rarest(name)]);
            for anchor in names.flatten().chain(tool.keywords.iter().copied()) {
                add_anchor(&mut anchored, anchor, at);
            }
        }
        let verbs = self.tools.iter().enumerate().filter_map(|(at, tool)| Some((at, tool.verb?)));
        let verbs: Vec<_> = verbs.collect();
        self.is_request = vec![false; count];
        for (_, verb) in &verbs {
            self.is_request[*verb] = anchored[*verb].is_empty();
        }
        verbs.iter().for_each(|(at, verb)| add_anchor(&mut anchored, *verb, *at));
        self.anchored = anchored;
    }
}

/// Adds a tool to those that a sentence with a term may mention.
fn add_anchor(anchored: &mut [Vec<usize>], term: Term, tool: usize) {
    if anchored[term].last() != Some(&tool) {
        anchored[term].push(tool);
    }
}

impl Name {
    /// Returns `true` if the name is matched by all rules.
    pub(super) fn is_short(&self) -> bool {
        self.words.len() <= MAX_WORDS
    }
}

/// Returns the part of a tool's description that is read.
pub(super) fn description(tool: &Tool) -> &str {
    let description = tool.description.as_deref().unwrap_or_default();
    &description[..description.floor_char_boundary(MAX_DESCRIPTION)]
}

/// Returns the category of a tool whose name has these distinctive words.
fn category(distinctive: &[&String]) -> Option<&'static Category> {
    let mut words = distinctive.iter().filter(|word| **word != "send");
    let category = Category::of(words.next()?)?;
    words.all(|word| Category::of(word) == Some(category)).then_some(category)
}

#[cfg(test)]
impl ToolIndex {
    /// Indexes tools without descriptions.
    pub(super) fn of_names(names: &[&str]) -> Self {
        let tool = |name: &&str| Tool { name: (*name).into(), description: None, parameters: None };
        Self::new(&names.iter().map(tool).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::ToolIndex;

    fn anchored(names: &[&str], word: &str) -> Vec<usize> {
        let index = ToolIndex::of_names(names);
        let terms = index.terms.of(word);
        let tools: BTreeSet<_> = terms.flat_map(|term| index.anchored(term)).copied().collect();
        tools.into_iter().collect()
    }

    #[test]
    fn anchors_are_the_rarest_word_the_joined_name_keywords_and_the_verb() {
        let names = ["get_user", "list_users_all", "create_user", "send_mail", "translate_text"];
        let cases: [(&str, &[usize]); 7] = [
            ("user", &[0, 1]),
            ("profile", &[0, 1]),
            ("create", &[2]),
            ("sendmail", &[3]),
            ("email", &[3]),
            ("translate", &[4]),
            ("get", &[]),
        ];
        for (word, expected) in cases {
            assert_eq!(anchored(&names, word), expected, "{word}");
        }
    }

    #[test]
    fn verbs_of_several_tools_are_no_anchors() {
        let names = ["translate_text_now", "translate_text", "text"];
        assert_eq!(anchored(&names, "translate"), [1]);
        assert!(
            ToolIndex::of_names(&names)
                .tools
                .iter()
                .all(|tool| { tool.verb.is_none() || tool.names[0].words.len() == 1 })
        );
    }

    #[test]
    fn the_part_after_a_prefix_is_a_name() {
        let index = ToolIndex::of_names(&["mcp__github__create_issue", "_", "mcp__"]);
        let names = [0, 1, 2].map(|tool| index.tools[tool].names.len());
        assert_eq!(names, [2, 0, 1]);
    }

    #[test]
    fn only_the_first_tool_with_a_name_is_indexed() {
        let index = ToolIndex::of_names(&["get_time", "get_time"]);
        assert_eq!(index.by_name["get_time"], 0);
        assert!(index.tools[1].names.is_empty());
    }
}
