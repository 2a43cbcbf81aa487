//! Lower-case words that are a text by their place in the sentence: its subject, the object of its verb, who has
//! something, or what is to be done.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::search::Search;
use crate::{
    facts::{Fact, compile},
    text::{
        canonical,
        lexicon::{BEFORE_VERBS, CLAUSE_WORDS, contains, is_telling},
        words,
    },
};

/// The verbs behind which a list of what somebody wants starts.
const WANTS: [&str; 7] = [" have ", " do ", " wants ", " want ", " needs ", " need ", " get "];

impl Search<'_, '_> {
    /// Returns what a sentence is about: "The onion soup should cost 9 dollars".
    pub(super) fn subject(&self) -> Option<Fact> {
        self.thing(&SUBJECT)
    }

    /// Returns what has something: "Change the cheesecake's price to 7.25".
    pub(super) fn owner(&self) -> Option<Fact> {
        self.thing(&OWNER)
    }

    /// Returns what the first group of an expression finds, unless it has words of the tool or of a property.
    fn thing(&self, expression: &Regex) -> Option<Fact> {
        let (text, start) = (self.text(), self.scope.range.start);
        let is_known = |word: &str| {
            let form = canonical(word);
            self.is_of_tool(&form)
                || !is_telling(&form)
                || self.properties.iter().any(|it| it.owns(Some(&form)))
        };
        let mut things = expression.captures_iter(text).filter_map(|it| it.get(1));
        let thing = things.find(|it| !it.as_str().split(' ').any(is_known))?;
        let fact = self.scope.reading.phrase(start + thing.start()..start + thing.end());
        self.scope.is_free(&fact).then_some(fact)
    }

    /// Returns where what somebody has may start: "Refill Milo's carprofen".
    pub(super) fn possession(&self) -> Vec<usize> {
        self.starts(&POSSESSION)
    }

    /// Returns where a list of what somebody wants may start: "they'll have a pizza and a lasagne".
    pub(super) fn wants(&self) -> Vec<usize> {
        self.behind(&WANTS)
    }

    /// Returns where the object of the first verb of a clause may start: "Mark the oysters as sold out".
    pub(super) fn object(&self) -> Vec<usize> {
        // Mails have other subjects.
        if self.property.has_word("subject") {
            return Vec::new();
        }
        let mut starts = self.starts(&OBJECT);
        // "Deliver milk and yogurt" for `schedule_delivery`
        let first = words(self.text()).next().map(|it| it.range);
        let is_of_tool =
            |word: &Range<usize>| self.shares_tool_stem(&canonical(&self.text()[word.clone()]));
        starts.extend(first.filter(is_of_tool).map(|it| self.scope.range.start + it.end));
        starts
    }

    /// Returns what is to be done: "Remind me to water the plants on 3 June".
    pub(super) fn task(&self) -> Option<Fact> {
        let (text, start) = (self.text(), self.scope.range.start);
        let is_wish = |at: usize| {
            let before = text[..at].rsplit(' ').next().unwrap_or("");
            contains("want need like have going able", before)
        };
        let found = TASK.captures_iter(text).filter_map(|it| it.get(1));
        let task = found.into_iter().find(|it| {
            let verb = it.as_str().split(' ').next().unwrap_or("");
            !is_wish(it.start() - " to ".len())
                && !contains("be do the a", verb)
                && !contains(BEFORE_VERBS, verb)
                && !contains(CLAUSE_WORDS, verb)
        })?;
        let end = task.start() + TASK_END.find(task.as_str()).map_or(task.len(), |it| it.start());
        let range = start + task.start()..start + end;
        let fact = self.scope.reading.phrase(range);
        (fact.value.contains(' ') && self.scope.is_free(&fact)).then_some(fact)
    }

    /// Returns where the first group of an expression starts.
    fn starts(&self, expression: &Regex) -> Vec<usize> {
        let found = expression.captures_iter(self.text()).filter_map(|it| it.get(1));
        found.map(|it| self.scope.range.start + it.start()).collect()
    }
}

static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?:^|[.,;!?] )[Tt]he ([a-z]+(?: [a-z]+){0,2}?) (?:is|are|was|were|should|will|costs?|has|have|needs?)\b",
    )
});

static OWNER: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"\b(?:[Tt]he|[Aa]|[Mm]y|[Oo]ur) ([a-z]+(?: [a-z]+){0,2})['’]s [a-z]")
});

static POSSESSION: LazyLock<Regex> = LazyLock::new(|| compile(r"\p{Lu}\p{L}+['’]s? ([a-z])"));

static OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?:^|[.;!?] |[Pp]lease |,? (?:and|then) | to )[A-Za-z]*[a-rt-zS] (?:(?:in|up|out|down|on|off) )?((?:a|an|the|some|my|our|\d+) [a-z])",
    )
});

static TASK: LazyLock<Regex> = LazyLock::new(|| compile(r" to ([a-z]+ [^,.;!?\n]+)"));

/// What ends a task: when, where or until when.
static TASK_END: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r" (?:on|at|by|before|from|in|until|every|this|next|tomorrow|today|tonight|starting)(?: (?:the )?(?:[0-9]|\p{Lu}|noon|midnight|morning|evening)| (?:day|week|month|year)|$)| (?:tomorrow|today|tonight)\b",
    )
});
