//! An index that maps words to the tools that they may mention.

use std::ops::Range;

use super::{
    multimap::Multimap,
    terms::{Term, Terms, to_u32},
    tool_names::{ToolName, ToolNames},
    word_lists::Category,
};

/// The maximum number of words in a name that is matched by all rules. Longer names are matched
/// only literally.
const MAX_WORDS: usize = 16;

/// An index of the offered tools.
#[derive(Debug)]
pub(super) struct Index<'n> {
    pub(super) terms: Terms<'n>,
    /// Maps each anchor to its tools. Every sentence that mentions a tool contains one of the
    /// tool's anchors, or arithmetic.
    pub(super) anchors: Multimap,
    /// The tools that a sentence with arithmetic mentions.
    pub(super) arithmetic_tools: Vec<u32>,
    tools: Vec<KeyRanges>,
    /// The keys of all tools. `tools` contains the ranges for each tool.
    key_terms: Vec<Term>,
}

/// The keys of a tool, as ranges in [`Index::key_terms`].
#[derive(Debug)]
struct KeyRanges {
    words: Range<usize>,
    joined: Range<usize>,
    topic: Range<usize>,
    keywords: Range<usize>,
    anchor: usize,
    arithmetic: bool,
}

/// The keys by which a tool is found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keys<'i> {
    /// The words of the name.
    pub(super) words: &'i [Term],
    /// The whole name as one word. Empty if the name has only one word.
    pub(super) joined: &'i [Term],
    /// The words of the name that are not generic. Empty if the name is long.
    pub(super) topic: &'i [Term],
    /// The keywords of the tool's category.
    pub(super) keywords: &'i [Term],
    /// The index in `words` of the word that every match by name, phrase or topic contains, unless
    /// the name is joined into one word.
    pub(super) anchor: usize,
    /// Whether a sentence with arithmetic mentions the tool.
    pub(super) arithmetic: bool,
}

impl Keys<'_> {
    /// Returns `true` if the tool is matched by all rules and not only by its literal name.
    pub(super) fn is_short(self) -> bool {
        self.words.len() <= MAX_WORDS
    }
}

impl<'n> Index<'n> {
    pub(super) fn new(names: &'n ToolNames) -> Self {
        let mut words = Vec::with_capacity(2 * names.word_count());
        let mut tools: Vec<_> = names.iter().map(|name| KeyRanges::new(name, &mut words)).collect();
        let (terms, mut key_terms) = Terms::intern(&words);
        let frequencies = frequencies(&terms, &tools, &key_terms);
        for (name, ranges) in names.iter().zip(&mut tools) {
            let term = |word: usize| key_terms[ranges.words.start + word];
            // Prefer words that are not generic, and then words that few names contain.
            let rarity = |word: &usize| (name.is_generic(*word), frequencies[term(*word) as usize]);
            ranges.anchor = (0..name.word_count()).min_by_key(rarity).unwrap_or(0);
            let is_short = name.word_count() <= MAX_WORDS;
            let specific =
                (0..name.word_count()).filter(|word| is_short && !name.is_generic(*word));
            let topic: Vec<_> = specific.map(term).collect();
            ranges.topic = append(&mut key_terms, topic);
        }
        let mut index = Self {
            terms,
            anchors: Multimap::default(),
            arithmetic_tools: Vec::new(),
            tools,
            key_terms,
        };
        index.index_anchors();
        index
    }

    /// Builds the maps from anchors and arithmetic to tools. Together, they cover every mention.
    fn index_anchors(&mut self) {
        let mut anchors = Multimap::default();
        let tools = || 0..to_u32(self.tools.len());
        for tool in tools() {
            let Keys { words, joined, keywords, anchor, .. } = self.keys(tool);
            let word = words.get(anchor).into_iter();
            word.chain(joined).chain(keywords).for_each(|term| anchors.push(*term, tool));
        }
        anchors.sort();
        self.arithmetic_tools = tools().filter(|tool| self.keys(*tool).arithmetic).collect();
        self.anchors = anchors;
    }

    /// Returns the stems of all anchors. Joined names are omitted because each contains the stem of
    /// another anchor.
    pub(super) fn anchor_stems(&self) -> impl Iterator<Item = &'n str> {
        (0..to_u32(self.tools.len())).flat_map(|tool| {
            let Keys { words, keywords, anchor, .. } = self.keys(tool);
            words.get(anchor).into_iter().chain(keywords).map(|term| self.terms.stem(*term))
        })
    }

    /// Returns the keys of the tool with index `tool` in the request.
    pub(super) fn keys(&self, tool: u32) -> Keys<'_> {
        let ranges = &self.tools[tool as usize];
        Keys {
            words: &self.key_terms[ranges.words.clone()],
            joined: &self.key_terms[ranges.joined.clone()],
            topic: &self.key_terms[ranges.topic.clone()],
            keywords: &self.key_terms[ranges.keywords.clone()],
            anchor: ranges.anchor,
            arithmetic: ranges.arithmetic,
        }
    }
}

impl KeyRanges {
    /// Appends the keys of a tool to `words`, except `topic` and `anchor`, which require interned
    /// terms.
    fn new<'n>(name: ToolName<'n>, words: &mut Vec<&'n str>) -> Self {
        let short = Some(name).filter(|name| name.word_count() <= MAX_WORDS);
        let category = short.and_then(|name| Category::of(name.specific_words()));
        Self {
            words: append(words, name.words()),
            joined: append(words, name.joined()),
            topic: 0..0,
            keywords: append(words, category.into_iter().flat_map(|it| it.keywords).copied()),
            anchor: 0,
            arithmetic: category.is_some_and(|category| category.arithmetic),
        }
    }
}

/// Appends `items` to `list` and returns their range.
fn append<T>(list: &mut Vec<T>, items: impl IntoIterator<Item = T>) -> Range<usize> {
    let start = list.len();
    list.extend(items);
    start..list.len()
}

/// Counts how often each term occurs in the names.
fn frequencies(terms: &Terms<'_>, tools: &[KeyRanges], key_terms: &[Term]) -> Vec<u32> {
    let mut frequencies = vec![0; terms.len()];
    for term in tools.iter().flat_map(|ranges| &key_terms[ranges.words.clone()]) {
        frequencies[*term as usize] += 1;
    }
    frequencies
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Index, ToolNames};

    #[test]
    fn anchors_are_the_rarest_word_the_joined_name_and_keywords() {
        let names =
            ToolNames::new(["get_user", "list_users_all", "create_user", "send_mail"].into_iter());
        let index = Index::new(&names);
        let anchored = |word: &str| -> Vec<u32> {
            let terms = index.terms.with_stem_of(word);
            let tools: BTreeSet<_> = terms.flat_map(|term| index.anchors.get(term)).collect();
            tools.into_iter().collect()
        };
        assert_eq!(anchored("users"), [0, 1]);
        assert_eq!(anchored("profile"), [0, 1]);
        assert_eq!(anchored("create"), [2]);
        assert_eq!(anchored("sendmail"), [3]);
        assert!(anchored("get").is_empty());
        assert!(index.arithmetic_tools.is_empty());
    }

    #[test]
    fn long_names_have_neither_topic_nor_keywords() {
        let long = "get ".repeat(16) + "weather";
        let names = ToolNames::new([long.as_str(), "_"].into_iter());
        let index = Index::new(&names);
        let keys = index.keys(0);
        assert_eq!((keys.words.len(), keys.anchor), (17, 16));
        assert!(keys.topic.is_empty() && keys.keywords.is_empty() && !keys.is_short());
        assert!(index.keys(1).words.is_empty());
    }
}
