//! Whether words of a message are those of a property.

use super::{describe::Description, own_words::share_stem};
use crate::{facts::Kind, text::stem};

impl Description<'_> {
    /// Returns how many words of the property's name stand together at the end of a lead.
    pub(super) fn count_words<'w>(&self, lead: impl Iterator<Item = &'w str>) -> usize {
        lead.take_while(|word| self.has_word(word)).count()
    }

    /// Returns `true` if a canonical word shares its stem with a word of the property.
    pub(super) fn shares_stem(&self, word: &str) -> bool {
        self.own_words.iter().any(|own| share_stem(own, word))
    }

    /// Returns `true` for a participle of a word of a list or a day: "blocking" for `blocked_roads`, "arriving"
    /// for `arrival_date`.
    pub(super) fn has_participle(&self, word: &str) -> bool {
        (self.is_array || matches!(self.kind(), Some(Kind::Date | Kind::Moment)))
            && word.ends_with("ing")
            && self.own_words.iter().any(|own| own != word && stem(own) == stem(word))
    }

    /// Returns `true` if a fact beside the word belongs to the property.
    pub(super) fn owns(&self, word: Option<&str>) -> bool {
        let is_own = |word: &str| self.own_words.iter().any(|it| it == word) || self.joined == word;
        word.is_some_and(is_own)
    }
}
