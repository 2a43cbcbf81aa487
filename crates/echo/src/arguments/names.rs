//! The names in a message: which property each of them is for.

use std::rc::Rc;

use super::{
    fit::{is_bare, is_name_of_something},
    property::{Offer, Property},
    search::Search,
};
use crate::{
    facts::{Fact, FactType, Kind},
    text::{
        ends_with_title,
        lexicon::{PREPOSITIONS, contains},
    },
};

/// Maximum number of texts that take names in order, and of names that are compared for one.
const MAX_NAMES: usize = 8;

impl Search<'_, '_> {
    /// The name in the same place among those that are left, if there are as many as texts that must be there and may
    /// be names: "Ada Byron would like to audition for Lady Macbeth".
    pub(super) fn names_left(&self) -> Vec<Offer> {
        use Kind::{Event, Label, Person, Title};
        let waits = |it: &&Property| {
            it.is_open_and_single()
                && it.is_wanted
                && it.takes(FactType::Name)
                && matches!(it.kind(), Some(Label | Title | Event | Person))
        };
        let open: Vec<_> = self.properties.iter().filter(waits).take(MAX_NAMES + 1).collect();
        let at = open.iter().position(|it| it.path == self.property.path);
        let Some(at) = at.filter(|_| open.len() <= MAX_NAMES) else { return Vec::new() };
        let is_left =
            |it: &&Rc<Fact>| it.of == FactType::Name && self.scope.is_free(it) && !self.repeats(it);
        let left: Vec<_> = self.scope.reading.facts().iter().filter(is_left).collect();
        let is_named = |it: &Property| {
            it.is_wanted && it.fact.as_ref().is_some_and(|fact| fact.of == FactType::Name)
        };
        let has_other = open.len() > 1 || self.properties.iter().any(is_named);
        let is_apart = |it: &&Rc<Fact>| is_bare(it) && !it.continues_list;
        match has_other && left.len() == open.len() && left.iter().all(is_apart) {
            true => self.offers(|fact| fact.range == left[at].range),
            false => Vec::new(),
        }
    }

    /// Returns `true` for the name of a thing if the property is a person, and of a person if it is the name of a
    /// thing, and one of the other kind is there for it: "Sign up Ada Byron for the Poetry Night".
    pub(super) fn names_other(&self, fact: &Fact) -> bool {
        let is_thing = |it: &Property| {
            is_name_of_something(it) || it.kind() == Some(Kind::Event) && it.is_wanted
        };
        let is_person =
            |it: &Property| it.kind() == Some(Kind::Person) && (it.is_wanted || it.is_array);
        let names_thing = |fact: &Fact| {
            let before = &self.scope.reading.text[..fact.range.start];
            ["the ", "The ", " a "].iter().any(|article| before.ends_with(article))
        };
        let names = self.property.offers.iter().map(|it| &it.fact);
        let names = || names.clone().filter(|it| it.of == FactType::Name).take(MAX_NAMES);
        let has = |of_thing: bool| {
            names().any(|it| self.scope.is_free(it) && names_thing(it) == of_thing)
        };
        let of_thing = names_thing(fact);
        // "by Dr. Helen Marsh"
        let first = fact.value.split_once(' ').map(|(first, _)| first.trim_end_matches('.'));
        if is_thing(self.property) && first.is_some_and(ends_with_title) {
            return self.has_rival(fact, |it| it.kind() == Some(Kind::Person));
        }
        fact.of == FactType::Name
            && match of_thing {
                true => is_person(self.property) && self.has_rival(fact, is_thing),
                false => is_thing(self.property) && self.has_rival(fact, is_person),
            }
            && has(!of_thing)
    }

    /// Returns `true` for a name behind the same preposition as that of another property: "10 tablets for Ruby and 45 for
    /// Bear".
    pub(super) fn repeats(&self, fact: &Fact) -> bool {
        let mark = self.scope.reading.mark_before(fact);
        let is_same =
            |it: &Rc<Fact>| it.of == FactType::Name && self.scope.reading.mark_before(it) == mark;
        fact.of == FactType::Name
            && contains(PREPOSITIONS, mark)
            && self.properties.iter().filter_map(|it| it.fact.as_ref()).any(is_same)
    }
}
