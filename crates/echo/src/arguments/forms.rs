//! The forms that values of a property have: those of parts of names, and of codes like the one that the
//! description shows.

use super::describe::Description;
use crate::facts::{Fact, FactType, Kind};

/// The number of digits of a number that is likely a code.
pub(super) const LONG_NUMBER: usize = 6;
/// The words, in one, of properties for the first name of somebody, and for the last one, in canonical form.
const FIRST_NAMES: [&str; 3] = ["firstname", "givenname", "forename"];
const LAST_NAMES: [&str; 3] = ["lastname", "familiname", "surname"];

impl Description<'_> {
    /// Returns `true` for the first name of somebody.
    pub(super) fn is_first_name(&self) -> bool {
        FIRST_NAMES.contains(&self.name())
    }

    /// Returns `true` for the first name or the last one of somebody.
    pub(super) fn is_part_of_name(&self) -> bool {
        self.is_first_name() || LAST_NAMES.contains(&self.name())
    }

    /// Returns `true` for a text or a name that may be lower-case words: "the onion soup" for `dish_name`.
    pub(super) fn may_be_words(&self) -> bool {
        self.type_name == "string"
            && self.format.or(self.pattern).is_none()
            && self.shown.code.is_none()
            && matches!(self.kind(), Some(Kind::Label | Kind::Title | Kind::Event))
    }

    /// Returns `true` for a code that starts like the one in the description.
    pub(super) fn has_form(&self, fact: &Fact) -> bool {
        self.shown.code.is_some_and(|form| fact.of == FactType::Code && form.has(&fact.value))
    }

    /// Returns how well a fact may be the value, 0 for the best, or `None` if it is none: one that the kind takes, or a
    /// code if the description shows one.
    pub(super) fn rank_of(&self, fact: &Fact) -> Option<usize> {
        use Kind::{Id, Phone, Room, Version};
        // "class 7C"
        let is_code = fact.range.len() == fact.value.len() + 1 || fact.value.len() >= LONG_NUMBER;
        let of = match fact.of {
            FactType::Number if !self.is_numeric() && is_code => FactType::Code,
            FactType::Number if self.is_numeric() => FactType::Number,
            FactType::Number if !matches!(self.kind(), Some(Id | Phone | Room | Version)) => {
                return None;
            }
            of => of,
        };
        let takes = self.meaning?.row.takes;
        let rank = takes.iter().position(|it| *it == of)?;
        match self.has_form(fact) {
            true => Some(0),
            false => (self.shown.code.is_none() || of == FactType::Code).then_some(1 + rank),
        }
    }
}
