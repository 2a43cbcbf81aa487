//! The rules that decide which facts a property may take.

use std::rc::Rc;

use super::{
    fit::{
        BOUNDS, has_cue, is_amount, is_bare, is_behind_own_cue, is_left_for, is_name_of_something,
        is_wanted_person,
    },
    property::{Offer, Property},
    search::{Search, counted},
};
use crate::{
    facts::{Fact, FactType, Kind, Role},
    text::{
        canonical,
        lexicon::{COUNTS, PEOPLE, contains},
    },
};

/// Returns the offers that a property may take, best first.
type Rule = fn(&Search) -> Vec<Offer>;

/// The rules in the order in which they apply, each with the name that users see.
pub(super) const RULES: [(&str, Rule); 16] = [
    ("in a statement", |search| search.stated()),
    ("behind its cue", |search| search.behind_own_cue()),
    ("before its counterpart", |search| search.before_partner()),
    ("beside its own word", |search| search.beside_own_word()),
    ("list", |search| search.list()),
    ("beside a related word", |search| search.beside_related_word()),
    ("in the form of its example", |search| search.offers(|fact| search.property.has_form(fact))),
    ("left over", |search| search.left()),
    ("number left over", |search| search.numbers_left()),
    ("place left over", |search| search.places_left()),
    ("beside its own word", |search| search.own_noun()),
    ("the only one left", |search| search.only_one_left(&NAMES)),
    ("name left over", |search| search.names_left()),
    ("words left over", |search| search.words_left()),
    ("the only one left", |search| search.only_one_left(&[FactType::Identifier])),
    ("list", |search| search.items_left()),
];

/// The facts that the only text may be, best first.
const NAMES: [FactType; 5] =
    [FactType::Quote, FactType::Code, FactType::Name, FactType::Capitals, FactType::Language];

impl Search<'_, '_> {
    /// The facts behind a cue of the property.
    fn behind_own_cue(&self) -> Vec<Offer> {
        self.offers(|fact| {
            is_behind_own_cue(self.property, fact)
                && !self.is_quote_of_other(fact)
                && !self.is_behind_other(fact)
                && !self.is_name_of_other(fact)
                && !self.is_code_of_other(fact)
                && !self.names_other(fact)
        })
    }

    /// Returns `true` for the only code, if the property need not be there but one that must be may take it: "a room for
    /// the exam in HIST-205".
    fn is_code_of_other(&self, fact: &Fact) -> bool {
        !self.property.is_wanted
            && fact.of == FactType::Code
            && self.has_rival(fact, |it| it.is_wanted && it.takes(FactType::Code))
            && self.offers(|it| it.of == fact.of).len() < 2
    }

    /// Returns `true` for a name that something that must be there may have, if the property need not be
    /// there: the `pet_name` instead of the `owner_name` in "for Rex".
    fn is_name_of_other(&self, fact: &Fact) -> bool {
        !self.property.is_wanted
            && fact.of == FactType::Name
            && self.has_rival(fact, |it| {
                is_name_of_something(it) || it.is_wanted && it.shown.says_name
            })
            && self.offers(|it| it.of == fact.of).len() < 2
    }

    /// Returns `true` for a quotation, if something else is quoted more often: "Sign up Ada for the 'Chess' course".
    fn is_quote_of_other(&self, fact: &Fact) -> bool {
        let takes_quote = |it: &Property| it.takes(FactType::Quote);
        fact.of == FactType::Quote
            && !takes_quote(self.property)
            && self.has_rival(fact, takes_quote)
    }

    /// Returns `true` if the cue before a fact is a word of another property that may take the fact.
    pub(super) fn is_behind_other(&self, fact: &Fact) -> bool {
        let Some(cue) = fact.cue.filter(|cue| !self.property.has_word(cue)) else { return false };
        self.has_rival(fact, |it| it.has_word(cue))
    }

    /// For a property where something starts, the fact directly before the one that a cue led its
    /// partner to: "250 GBP to JPY".
    fn before_partner(&self) -> Vec<Offer> {
        let is_partner = |other: &&Property| {
            (self.property.role(), other.role()) == (Role::Start, Role::End)
                && other.kind() == self.property.kind()
        };
        let mut partners = self.properties.iter().filter(is_partner);
        let by_cue = |it: &Property| it.fact.clone().filter(|fact| is_behind_own_cue(it, fact));
        let Some(next) = partners.find_map(by_cue) else { return Vec::new() };
        let before = self.offers(|fact| fact.of == next.of && fact.range.end <= next.range.start);
        before.into_iter().max_by_key(|offer| offer.fact.range.start).into_iter().collect()
    }

    /// The facts that are left. An id is also directly behind a word of the tool: "Track shipment 123456".
    fn left(&self) -> Vec<Offer> {
        let is_title = self.property.kind() == Some(Kind::Title);
        let has_quote = is_title && !self.offers(|it| it.of == FactType::Quote).is_empty();
        let left = self.offers(|fact| {
            is_left_for(self.property, fact, self.scope.reading)
                && !self.is_plain_name(fact)
                && !self.names_other(fact)
                && !self.is_needed(fact)
                && (!has_quote || !self.is_of_person(fact))
                && !self.is_told(fact)
        });
        let is_id = self.property.kind() == Some(Kind::Id);
        if is_id && left.is_empty() { self.behind_tool_word() } else { left }
    }

    /// Returns `true` for a name or a number that something that must be there may have, if the property need not
    /// be there: `quantity` instead of `budget` in "Add 6 lamps".
    fn is_needed(&self, fact: &Fact) -> bool {
        !self.property.is_wanted
            && matches!(fact.of, FactType::Name | FactType::Number)
            && !has_cue(fact, "in near at")
            && self.has_rival(fact, |it| it.is_wanted)
    }

    /// Returns `true` for a name that the property `name` may have instead: "enroll Ada in class 7B".
    fn is_plain_name(&self, fact: &Fact) -> bool {
        fact.of == FactType::Name
            && self.has_rival(fact, |it| is_name_of_something(it) && it.words.len() == 1)
    }

    /// Returns `true` for a name that somebody may have instead of a title: "Sign up Ada Byron for 'Chess'".
    fn is_of_person(&self, fact: &Fact) -> bool {
        fact.of == FactType::Name && self.has_rival(fact, is_wanted_person)
    }

    /// Returns `true` for a quotation behind a colon that a text may have instead: "Notify Ada: 'We are late'".
    fn is_told(&self, fact: &Fact) -> bool {
        fact.of == FactType::Quote
            && self.property.kind() != Some(Kind::Text)
            && self.scope.reading.mark_before(fact) == ":"
            && self.has_rival(fact, |it| it.kind() == Some(Kind::Text))
    }

    fn behind_tool_word(&self) -> Vec<Offer> {
        self.offers(|fact| {
            let before = self.scope.reading.beside(fact)[0];
            let is_count = |it: &Property| it.is_wanted && it.is_numeric();
            self.property.takes(fact.of)
                && !self.is_needed(fact)
                && !(fact.of == FactType::Number && self.has_rival(fact, is_count))
                && before.is_some_and(|word| self.tool.iter().any(|it| it == word))
        })
    }

    /// The bare number for a numeric property, if there are enough for all such properties, with
    /// amounts and shares if necessary.
    fn numbers_left(&self) -> Vec<Offer> {
        if !self.property.waits_for_number() || self.property.offers.is_empty() {
            return Vec::new();
        }
        if !self.property.is_wanted {
            return self.counts_left();
        }
        let waits = |it: &&Property| it.waits_for_number() && it.is_wanted;
        let mut open = self.properties.iter().filter(waits);
        let count = open.clone().count();
        let earlier = open.position(|other| other.path == self.property.path).unwrap_or(0);
        let facts = || self.scope.reading.facts().iter().filter(|it| self.scope.is_free(it));
        let may_be_bound = |it: &Fact| has_cue(it, BOUNDS) && !self.is_bound_of_other(it);
        let bare = || facts().filter(|fact| is_bare(fact) || may_be_bound(fact));
        let numbers = || bare().filter(|fact| fact.of == FactType::Number);
        let number = if count <= numbers().count() {
            numbers().nth(earlier)
        } else {
            let mut amounts = bare().filter(|fact| is_amount(fact));
            amounts.nth(earlier).filter(|_| count - earlier <= 1 + amounts.count())
        };
        number.map_or_else(Vec::new, |number| self.offers(|fact| fact.range == number.range))
    }

    /// What is counted, for a numeric property that may be left out.
    fn counts_left(&self) -> Vec<Offer> {
        let is_count = self.property.has_any_word(COUNTS);
        let is_limit = self.property.words == ["limit"];
        let counts = |it: &Fact| {
            self.counts_people(it)
                || (is_count || is_limit) && self.counts_tool_word(it)
                || is_limit && has_cue(it, "under up-to")
        };
        self.offers(|fact| fact.of == FactType::Number && counts(fact))
    }

    /// Returns `true` for a number of what the tool is for: "three window seats" for `book_seats`.
    fn counts_tool_word(&self, fact: &Fact) -> bool {
        let after = &self.scope.reading.text[fact.range.end..];
        counted(after).any(|word| self.is_of_tool(&word))
    }

    /// Returns `true` for a number of people if the property counts them: "for two kids".
    fn counts_people(&self, fact: &Fact) -> bool {
        let after = self.scope.reading.beside(fact)[1];
        self.property.has_any_word(PEOPLE) && after.is_some_and(|word| contains(PEOPLE, word))
    }

    /// The first list of numbers for a list of numbers ("[5, 3, 4]", "5, 3 and 4"), and the first list of
    /// quotes for the only list of strings that must be there.
    fn list(&self) -> Vec<Offer> {
        let waits = |it: &Property| it.is_open() && it.is_array && it.takes(FactType::Quote);
        match self.property.is_array {
            true if self.property.is_numeric() => self.list_of(FactType::Number),
            true if self.property.is_wanted && !self.others().any(waits) => {
                self.list_of(FactType::Quote)
            }
            _ => Vec::new(),
        }
    }

    /// The quotations that are left, otherwise the names or the codes, for the only strings that must be there: "Install it on
    /// LT-0452".
    fn items_left(&self) -> Vec<Offer> {
        let is_rival = |it: &Property| it.is_wanted && it.type_name == "string";
        if !self.property.is_array || !is_rival(self.property) || self.others().any(is_rival) {
            return Vec::new();
        }
        let may_be = |fact: &Fact| match fact.of {
            FactType::Name => fact.cue.is_none(),
            _ => is_bare(fact),
        };
        let left = |of| self.offers(|fact| fact.of == of && may_be(fact));
        let types = [FactType::Quote, FactType::Name, FactType::Code];
        types.into_iter().map(left).find(|it| !it.is_empty()).unwrap_or_default()
    }

    fn list_of(&self, of: FactType) -> Vec<Offer> {
        let rest = self.offers(|fact| fact.of == of).into_iter().skip(1);
        let second = rest.into_iter().find(|offer| offer.fact.continues_list);
        second.map_or_else(Vec::new, |offer| self.list_around(&offer.fact))
    }

    /// Returns the items of the list that has a fact.
    pub(super) fn list_around(&self, fact: &Fact) -> Vec<Offer> {
        let mut facts = self.offers(|it| it.of == fact.of);
        let index = facts.partition_point(|it| it.fact.range.start <= fact.range.start);
        let continues = |it: &&Offer| it.fact.continues_list;
        let before = facts[..index].iter().rev().take_while(continues).count();
        let after = facts[index..].iter().take_while(continues).count();
        facts.drain(index.saturating_sub(before + 1)..index + after).collect()
    }

    /// The fact of one of some types that is left, for the only string that must be there and has no value.
    fn only_one_left(&self, types: &[FactType]) -> Vec<Offer> {
        use Kind::{Event, Id, Label, Person, Title};
        let waits = |it: &&Property| {
            it.is_open_and_single()
                && it.is_wanted
                && it.type_name == "string"
                && it.format.is_none()
                && (it.user_cue.is_none() || it.path == self.property.path)
                && matches!(it.kind(), Some(Label | Title | Event | Person | Id))
        };
        // What the description shows to be no name takes none from what it shows to be one.
        let is_rival = |it: &&Property| {
            waits(it) && (it.shown.name != Some(false) || self.property.shown.name == Some(false))
        };
        if !waits(&self.property)
            || self.properties.iter().filter(is_rival).any(|it| it.path != self.property.path)
        {
            return Vec::new();
        }
        let is_better = |it: &Rc<Fact>| {
            it.of == FactType::Identifier
                && !has_cue(it, "in near")
                && self.scope.is_free(it)
                && self.is_value(it)
        };
        // Only what no list knows may be a place: "Scale image-worker in eu-west-1"
        let is_place = |it: &Property| matches!(it.kind(), Some(Kind::Place | Kind::Room));
        let is_named = self.property.meaning.is_some_and(|it| it.is_unlisted())
            || is_name_of_something(self.property)
                && self.property.words.len() > 1
                && !self.properties.iter().any(is_place);
        let may_be_in = is_named && !self.scope.reading.facts().iter().any(is_better);
        let is_apart = |fact: &Rc<Fact>| {
            // A cue in the clause of another call is none here.
            let own = self.property.offers.iter().find(|it| it.fact.range == fact.range);
            let fact = own.map_or(fact, |it| &it.fact);
            // "Attach it to CL-7"
            let is_object = self.property.kind() == Some(Id) && has_cue(fact, "to for on");
            is_object
                || self.is_led_alone(fact)
                || is_bare(fact) && (may_be_in || !has_cue(fact, "in near"))
        };
        let facts = |of: FactType| {
            let is_left = |fact: &&Rc<Fact>| {
                let is_title = has_cue(fact, "titled") && self.property.kind() != Some(Title);
                // "the SIM" for `activateSim`
                let is_noun = of == FactType::Capitals && self.is_of_tool(&canonical(&fact.value));
                fact.of == of
                    && self.scope.is_free(fact)
                    && !self.repeats(fact)
                    && !self.is_of_other_kind(fact)
                    && (of == FactType::Quote && !is_title || is_apart(fact))
                    && !is_noun
                    && (matches!(of, FactType::Quote | FactType::Identifier)
                        || !self.property.is_report())
                    && (of != FactType::Identifier || self.is_value(fact))
            };
            // A long number is a code only for a text.
            let is_number = |it: &&Rc<Fact>| {
                let written = self.scope.reading.fact_in(&it.range).map(|it| it.of);
                it.of == FactType::Code && written == Some(FactType::Number)
            };
            let own = self.property.offers.iter().map(|it| &it.fact).filter(is_number);
            let left = self.scope.reading.facts().iter().chain(own).filter(is_left);
            left.map(|fact| Offer { fact: fact.clone(), choice: None }).collect::<Vec<_>>()
        };
        // Further quotations, and further items of a list, are those of further calls.
        let is_one = |left: &Vec<Offer>| {
            left.first().is_some_and(|first| {
                let mark = |offer: &Offer| self.scope.reading.mark_before(&offer.fact);
                // "two copies of Hamnet and five copies of Emma"
                let is_alike = |offer: &Offer| mark(offer) == "of" && mark(first) == "of";
                first.fact.of == FactType::Quote
                    || left[1..].iter().all(|it| it.fact.continues_list || is_alike(it))
            })
        };
        // "3 ml of Baycox for ET-8123"
        let is_type = |of: &&FactType| **of != FactType::Code || !self.property.shown.says_name;
        let left = types.iter().filter(is_type).map(|of| facts(*of)).find(is_one);
        left.into_iter().flatten().take(1).collect()
    }

    /// Returns `true` for a name or an id behind "from", or a name behind "to", if nothing else is: "Order jars from
    /// Ada Byron", "Give her access to Jira".
    fn is_led_alone(&self, fact: &Fact) -> bool {
        let is_id = fact.of == FactType::Code && self.property.kind() == Some(Kind::Id);
        let is_alone = |cue| {
            has_cue(fact, cue) && !self.has_rival(fact, |it| it.names_cue(cue) || it.has_word(cue))
        };
        let is_label = self.property.meaning.is_some_and(|it| it.is_unlisted());
        (fact.of == FactType::Name || is_id) && (is_alone("from") || is_label && is_alone("to"))
    }

    /// Returns `true` for an identifier that is no name of the tool or of a property.
    fn is_value(&self, fact: &Fact) -> bool {
        let form = self.scope.reading.whole_form(fact.range.start);
        let is_known = self.properties.iter().any(|it| it.has_word(form));
        self.scope.reading.is_alone(fact) && !is_known && self.tool.concat() != form
    }

    /// The lower-case words for a place, but not "the inventory" for a tool about it, or "to job MV-1042".
    fn places_left(&self) -> Vec<Offer> {
        let is_known = |fact: &Fact| {
            let form = canonical(&fact.value);
            self.is_of_tool(&form) || self.properties.iter().any(|it| it.owns(Some(&form)))
        };
        self.offers(|fact| fact.of == FactType::Word && !is_known(fact))
    }
}
