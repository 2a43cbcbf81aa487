//! A word in a sentence, and what is known of it.

use std::ops::Range;

use super::lexicon::Entry;

/// A word in a sentence.
pub(crate) struct Word {
    pub(super) range: Range<usize>,
    pub(super) run: Range<usize>,
    /// The bytes of the canonical form in those of the sentence.
    pub(super) form: Range<usize>,
    pub(crate) entry: &'static Entry,
    /// The entry of the run that the word starts.
    pub(crate) run_entry: &'static Entry,
    pub(crate) is_quoted: bool,
    /// Whether the word is a part of an identifier, which is one word.
    pub(crate) is_part: bool,
    /// Whether the word, and what starts with it, is negated.
    pub(crate) is_negated: bool,
    /// Whether the next word is negated, unless punctuation separates it.
    pub(super) negates: bool,
}

impl Word {
    pub(crate) fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns the unsplit run of letters and digits that contains the word.
    pub(crate) fn run(&self) -> Range<usize> {
        self.run.clone()
    }

    /// Returns the canonical form of the word, one of those of the sentence.
    pub(super) fn form<'f>(&self, forms: &'f str) -> &'f str {
        &forms[self.form.clone()]
    }

    /// Returns `true` if the word is neither quoted nor a part of an identifier.
    pub(crate) fn is_free(&self) -> bool {
        !self.is_quoted && !self.is_part
    }

    /// Returns `true` if the word is free and not negated.
    pub(crate) fn is_said(&self) -> bool {
        self.is_free() && !self.is_negated
    }

    /// Returns `true` if this is the first word of its run.
    pub(crate) fn starts_run(&self) -> bool {
        self.range.start == self.run.start
    }
}
