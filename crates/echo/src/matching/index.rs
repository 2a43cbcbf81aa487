//! The names of the offered tools, indexed by word.

use std::{cell::OnceCell, cmp::Reverse, collections::BTreeMap};

use super::{arithmetic::OPERATORS, categories::Category, filter::Filter};
use crate::text::{
    canonical, canonical_words,
    lexicon::{ARITHMETIC_VERBS, COMMON_VERBS, is_generic, is_number, list},
    to_u32, words,
};

/// The number of a word that matters to the offered tools.
pub(super) type Term = u32;

/// The maximum number of words in a name that is matched by all rules. Longer names are matched
/// only as a name.
const MAX_WORDS: usize = 16;
/// An index of the names of the offered tools.
#[derive(Debug, Default)]
pub(super) struct ToolIndex {
    names: Vec<String>,
    by_name: BTreeMap<String, usize>,
    terms: BTreeMap<String, Term>,
    tools: Vec<ToolTerms>,
    /// By term, the tools that a sentence with the term may mention. Every sentence that mentions a
    /// tool has such a term, or arithmetic.
    anchored: Vec<Vec<usize>>,
    /// The tools that arithmetic mentions.
    pub(super) arithmetic_tools: Vec<usize>,
    filter: OnceCell<Option<Filter>>,
}

/// The terms by which a tool is found.
#[derive(Debug, Default)]
pub(super) struct ToolTerms {
    /// The name and, if it has a prefix that ends in `__`, the part after it.
    pub(super) names: Vec<Name>,
    /// The words that ask for a tool in the same category.
    pub(super) keywords: Vec<Term>,
    pub(super) has_arithmetic: bool,
    /// The verb that asks for this tool and no other.
    pub(super) verb: Option<Term>,
}

/// A name, split into words.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) words: Vec<Term>,
    /// The words that are not generic, and those that are.
    pub(super) distinctive: Vec<Term>,
    pub(super) generic: Vec<Term>,
    /// All words joined into one.
    pub(super) joined: Term,
}

impl ToolIndex {
    /// Indexes the names of the tools, in order.
    pub(super) fn new<'t>(names: impl Iterator<Item = &'t str>) -> Self {
        let mut index = Self::default();
        for (at, name) in names.enumerate() {
            index.names.push(name.to_owned());
            // Of tools with the same name, only the first is matched.
            let is_first = *index.by_name.entry(name.to_owned()).or_insert(at) == at;
            let tool = if is_first { index.read_tool(name) } else { ToolTerms::default() };
            index.tools.push(tool);
        }
        index.keep_unique_verbs();
        index.add_anchors();
        index
    }

    /// Returns `true` if this is the index of the tools with these names.
    pub(super) fn is_for<'t>(&self, names: impl Iterator<Item = &'t str>) -> bool {
        self.names.iter().map(String::as_str).eq(names)
    }

    /// Returns the number of tools.
    pub(super) fn len(&self) -> usize {
        self.tools.len()
    }

    /// Returns the first tool with a name.
    pub(super) fn tool_named(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(super) fn tool(&self, tool: usize) -> &ToolTerms {
        &self.tools[tool]
    }

    /// Returns the term of a canonical word.
    pub(super) fn term(&self, word: &str) -> Option<Term> {
        self.terms.get(word).copied()
    }

    /// Returns the tools that a sentence with this term may mention.
    pub(super) fn anchored(&self, term: Term) -> &[usize] {
        self.anchored.get(term as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns a filter that finds anchors and arithmetic, or `None` if all text must be searched.
    /// The filter is built on first use: for short texts, it is not worth its cost.
    pub(super) fn filter(&self) -> Option<&Filter> {
        let build = || {
            let anchors = self.terms.iter().filter(|(_, term)| !self.anchored(**term).is_empty());
            let arithmetic = ARITHMETIC_VERBS.into_iter().chain(OPERATORS);
            let arithmetic = arithmetic.filter(|_| !self.arithmetic_tools.is_empty());
            Filter::new(anchors.map(|(word, _)| word.as_str()).chain(arithmetic))
        };
        self.filter.get_or_init(build).as_ref()
    }

    /// Estimates the size in bytes.
    pub(super) fn size(&self) -> usize {
        let names: usize = self.names.iter().map(String::len).sum();
        size_of::<Self>() + 8 * names + 512 * (self.names.len() + self.terms.len())
    }

    fn read_tool(&mut self, name: &str) -> ToolTerms {
        let mut tool = ToolTerms::default();
        let part = name.rsplit_once("__").map(|(_, part)| part);
        for name in [Some(name), part].into_iter().flatten() {
            let forms = canonical_words(name);
            let distinctive: Vec<_> = forms.iter().filter(|form| !is_generic(form)).collect();
            let is_common = |verb: &str| list(COMMON_VERBS).any(|common| canonical(common) == verb);
            let verb = distinctive.first().filter(|verb| !is_common(verb));
            tool.verb = verb.map(|verb| self.intern(verb.to_string()));
            if let Some(category) = category(&distinctive).filter(|_| forms.len() <= MAX_WORDS) {
                tool.keywords =
                    category.keywords().map(|word| self.intern(canonical(word))).collect();
                tool.has_arithmetic = category.has_arithmetic;
            }
            if !forms.is_empty() {
                tool.names.push(self.read_name(name, forms));
            }
        }
        tool
    }

    fn read_name(&mut self, name: &str, forms: Vec<String>) -> Name {
        let joined: String = words(name).map(|word| &name[word.range]).collect();
        let joined = self.intern(canonical(&joined));
        let mut terms = Vec::with_capacity(forms.len());
        let (mut distinctive, mut generic) = (Vec::new(), Vec::new());
        for form in forms {
            let is_generic = is_generic(&form);
            let term = self.intern(form);
            terms.push(term);
            if is_generic { &mut generic } else { &mut distinctive }.push(term);
        }
        for list in [&mut distinctive, &mut generic] {
            list.sort_unstable();
            list.dedup();
        }
        Name { words: terms, distinctive, generic, joined }
    }

    fn intern(&mut self, word: String) -> Term {
        let next = to_u32(self.terms.len());
        *self.terms.entry(word).or_insert(next)
    }

    /// Removes the verbs that several tools have.
    fn keep_unique_verbs(&mut self) {
        let mut counts = vec![0; self.terms.len()];
        let verbs = |tools: &[ToolTerms]| -> Vec<_> { tools.iter().map(|it| it.verb).collect() };
        verbs(&self.tools).into_iter().flatten().for_each(|verb| counts[verb as usize] += 1);
        for tool in &mut self.tools {
            tool.verb = tool.verb.filter(|verb| counts[*verb as usize] == 1);
        }
    }

    fn add_anchors(&mut self) {
        let mut frequencies = vec![0_u64; self.terms.len()];
        // Many texts that mention no tool have numbers.
        let numbers = self.terms.iter().filter(|(word, _)| is_number(word));
        numbers.for_each(|(_, term)| frequencies[*term as usize] = u32::MAX.into());
        let words = self.tools.iter().flat_map(|tool| &tool.names).flat_map(|name| &name.words);
        words.for_each(|term| frequencies[*term as usize] += 1);
        let mut lengths = vec![0; self.terms.len()];
        self.terms.iter().for_each(|(word, term)| lengths[*term as usize] = word.len());
        let mut anchored = vec![Vec::new(); self.terms.len()];
        for (at, tool) in self.tools.iter().enumerate() {
            let rarest = |name: &Name| {
                let words =
                    if name.distinctive.is_empty() { &name.words } else { &name.distinctive };
                // Texts have long words less often than short ones.
                let key =
                    |term: &Term| (frequencies[*term as usize], Reverse(lengths[*term as usize]));
                words.iter().copied().min_by_key(key)
            };
            let names = tool.names.iter().flat_map(|name| [Some(name.joined), rarest(name)]);
            let other = tool.keywords.iter().copied().map(Some).chain([tool.verb]);
            for anchor in names.chain(other).flatten() {
                let tools: &mut Vec<usize> = &mut anchored[anchor as usize];
                if tools.last() != Some(&at) {
                    tools.push(at);
                }
            }
        }
        self.anchored = anchored;
        let tools = self.tools.iter().enumerate();
        self.arithmetic_tools =
            tools.filter(|(_, tool)| tool.has_arithmetic).map(|(at, _)| at).collect();
    }
}

impl Name {
    /// Returns `true` if the name is matched by all rules.
    pub(super) fn is_short(&self) -> bool {
        self.words.len() <= MAX_WORDS
    }
}

/// Returns the category of a tool whose name has these distinctive words.
fn category(distinctive: &[&String]) -> Option<&'static Category> {
    let mut words = distinctive.iter().filter(|word| **word != "send");
    let category = Category::of(words.next()?)?;
    words.all(|word| Category::of(word) == Some(category)).then_some(category)
}

#[cfg(test)]
mod tests {
    use super::ToolIndex;

    fn anchored(names: &[&str], word: &str) -> Vec<usize> {
        let index = ToolIndex::new(names.iter().copied());
        index.term(word).map(|term| index.anchored(term).to_vec()).unwrap_or_default()
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
            ToolIndex::new(names.into_iter())
                .tools
                .iter()
                .all(|tool| { tool.verb.is_none() || tool.names[0].words.len() == 1 })
        );
    }

    #[test]
    fn the_part_after_a_prefix_is_a_name() {
        let index = ToolIndex::new(["mcp__github__create_issue", "_", "mcp__"].into_iter());
        let names = [0, 1, 2].map(|tool| index.tool(tool).names.len());
        assert_eq!(names, [2, 0, 1]);
    }

    #[test]
    fn only_the_first_tool_with_a_name_is_indexed() {
        let index = ToolIndex::new(["get_time", "get_time"].into_iter());
        assert_eq!(index.tool_named("get_time"), Some(0));
        assert!(index.tool(1).names.is_empty());
    }
}
