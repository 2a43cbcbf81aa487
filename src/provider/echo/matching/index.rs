//! The way from a word of a text to the tools that it may mention.

use std::ops::Range;

use super::{
    names::{Name, Names},
    pairs::Pairs,
    terms::{Term, Terms, as_number},
    vocabulary::Category,
};

/// Longer names are found only as they are.
const MAX_WORDS: usize = 16;

/// All that the rules ask about the tools on offer.
#[derive(Debug)]
pub(super) struct Index<'n> {
    pub(super) terms: Terms<'n>,
    /// From a term to the tools that are worth a look where it stands.
    pub(super) anchors: Pairs,
    /// The tools that arithmetic asks for.
    pub(super) calculators: Vec<u32>,
    tools: Vec<Entry>,
    /// The terms of all entries, one behind the other.
    listed: Vec<Term>,
}

/// The keys of one tool, as ranges of what is listed.
#[derive(Debug)]
struct Entry {
    words: Range<usize>,
    joined: Range<usize>,
    topic: Range<usize>,
    keywords: Range<usize>,
    anchor: usize,
    arithmetic: bool,
}

/// What one tool is found by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keys<'i> {
    /// The words of its name.
    pub(super) words: &'i [Term],
    /// The words of its name as one, where they are several.
    pub(super) joined: &'i [Term],
    /// The words of its name that are not generic.
    pub(super) topic: &'i [Term],
    /// The keywords of its category.
    pub(super) keywords: &'i [Term],
    /// Where in its name the word stands without which neither name, phrase nor topic is there.
    pub(super) anchor: usize,
    /// Whether arithmetic asks for it.
    pub(super) arithmetic: bool,
}

impl Keys<'_> {
    /// Whether more than the very name is looked for.
    pub(super) fn is_short(self) -> bool {
        self.words.len() <= MAX_WORDS
    }
}

impl<'n> Index<'n> {
    pub(super) fn of(names: &'n Names) -> Self {
        let mut listed = Vec::with_capacity(2 * names.len());
        let mut tools: Vec<_> = names.iter().map(|name| Entry::list(name, &mut listed)).collect();
        let (terms, mut listed) = Terms::number(&listed);
        let frequencies = frequencies(&terms, &tools, &listed);
        for (name, entry) in names.iter().zip(&mut tools) {
            let term = |word: usize| listed[entry.words.start + word];
            // The word that fewest names have, generic ones last.
            let rarity = |word: &usize| (name.is_generic(*word), frequencies[term(*word) as usize]);
            entry.anchor = (0..name.len()).min_by_key(rarity).unwrap_or(0);
            let short = name.len() <= MAX_WORDS;
            let specific = (0..name.len()).filter(|word| short && !name.is_generic(*word));
            let topic: Vec<_> = specific.map(term).collect();
            entry.topic = append(&mut listed, topic);
        }
        let mut index =
            Self { terms, anchors: Pairs::default(), calculators: Vec::new(), tools, listed };
        index.drop_anchors();
        index
    }

    /// Makes sure that every text that mentions a tool leads to it.
    fn drop_anchors(&mut self) {
        let mut anchors = Pairs::default();
        let tools = || 0..as_number(self.tools.len());
        for tool in tools() {
            let Keys { words, joined, keywords, anchor, .. } = self.keys(tool);
            let word = words.get(anchor).into_iter();
            word.chain(joined).chain(keywords).for_each(|term| anchors.push(*term, tool));
        }
        anchors.sort();
        self.calculators = tools().filter(|tool| self.keys(*tool).arithmetic).collect();
        self.anchors = anchors;
    }

    /// The stems of all anchors, but for joined forms: those have an anchor inside.
    pub(super) fn stems(&self) -> impl Iterator<Item = &'n str> {
        (0..as_number(self.tools.len())).flat_map(|tool| {
            let Keys { words, keywords, anchor, .. } = self.keys(tool);
            words.get(anchor).into_iter().chain(keywords).map(|term| self.terms.stem(*term))
        })
    }

    /// What the tool of that place in the request is found by.
    pub(super) fn keys(&self, tool: u32) -> Keys<'_> {
        let entry = &self.tools[tool as usize];
        Keys {
            words: &self.listed[entry.words.clone()],
            joined: &self.listed[entry.joined.clone()],
            topic: &self.listed[entry.topic.clone()],
            keywords: &self.listed[entry.keywords.clone()],
            anchor: entry.anchor,
            arithmetic: entry.arithmetic,
        }
    }
}

impl Entry {
    /// Lists the keys of a tool of that name. Its topic and its anchor are still to be chosen.
    fn list<'n>(name: Name<'n>, listed: &mut Vec<&'n str>) -> Self {
        let short = Some(name).filter(|name| name.len() <= MAX_WORDS);
        let category = short.and_then(|name| Category::of(name.specific()));
        Self {
            words: append(listed, name.words()),
            joined: append(listed, name.joined()),
            topic: 0..0,
            keywords: append(listed, category.into_iter().flat_map(|it| it.keywords).copied()),
            anchor: 0,
            arithmetic: category.is_some_and(|category| category.arithmetic),
        }
    }
}

fn append<T>(list: &mut Vec<T>, items: impl IntoIterator<Item = T>) -> Range<usize> {
    let start = list.len();
    list.extend(items);
    start..list.len()
}

/// How often each term stands in the names.
fn frequencies(terms: &Terms<'_>, tools: &[Entry], listed: &[Term]) -> Vec<u32> {
    let mut frequencies = vec![0; terms.len()];
    for term in tools.iter().flat_map(|entry| &listed[entry.words.clone()]) {
        frequencies[*term as usize] += 1;
    }
    frequencies
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Index, Names};

    #[test]
    fn anchors_are_the_rarest_word_the_joined_form_and_keywords() {
        let names =
            Names::of(["get_user", "list_users_all", "create_user", "send_mail"].into_iter());
        let index = Index::of(&names);
        let led_to = |word: &str| -> Vec<u32> {
            let terms = index.terms.with_stem_of(word);
            let tools: BTreeSet<_> = terms.flat_map(|term| index.anchors.of(term)).collect();
            tools.into_iter().collect()
        };
        assert_eq!(led_to("users"), [0, 1]);
        assert_eq!(led_to("profile"), [0, 1]);
        assert_eq!(led_to("create"), [2]);
        assert_eq!(led_to("sendmail"), [3]);
        assert!(led_to("get").is_empty());
        assert!(index.calculators.is_empty());
    }

    #[test]
    fn of_a_long_name_only_the_name_counts() {
        let long = "get ".repeat(16) + "weather";
        let names = Names::of([long.as_str(), "_"].into_iter());
        let index = Index::of(&names);
        let keys = index.keys(0);
        assert_eq!((keys.words.len(), keys.anchor), (17, 16));
        assert!(keys.topic.is_empty() && keys.keywords.is_empty() && !keys.is_short());
        assert!(index.keys(1).words.is_empty());
    }
}
