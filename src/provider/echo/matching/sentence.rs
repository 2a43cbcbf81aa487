//! A sentence, kept as what matters in it: which terms stand where.

use super::{
    budget::{Budget, Exhausted},
    index::Index,
    pairs::Pairs,
    vocabulary::is_arithmetic_verb,
    words::Word,
};

/// What was read of a sentence. Positions count its words.
#[derive(Debug, Default)]
pub(super) struct Sentence {
    /// From a term to where it stands.
    pub(super) places: Pairs,
    /// Where arithmetic stands, such as both words of "add 5".
    pub(super) arithmetic: Vec<u32>,
    words: u32,
    last: Calculates,
}

/// What a word is to the number that comes after it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Calculates {
    #[default]
    Nothing,
    /// With an operator between.
    Number,
    /// As in "add 5".
    Verb,
}

impl Sentence {
    /// Forgets all, for the next sentence.
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.arithmetic.clear();
        self.words = 0;
        self.last = Calculates::Nothing;
    }

    /// Whether it has no word that could mention a tool.
    pub(super) fn is_idle(&self) -> bool {
        self.places.is_empty() && self.arithmetic.is_empty()
    }

    /// Adds the next word; `lower` is the same in lower case.
    pub(super) fn push(
        &mut self,
        word: &Word,
        lower: &str,
        index: &Index,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        for term in index.terms.with_stem_of(lower) {
            budget.spend(1)?;
            if index.terms.is_same(term, lower) {
                self.places.push(term, self.words);
            }
        }
        if !index.calculators.is_empty() {
            self.calculate(word, lower);
        }
        self.words += 1;
        Ok(())
    }

    fn calculate(&mut self, word: &Word, lower: &str) {
        let is_number = starts_with_digit(lower);
        let is_arithmetic = match self.last {
            Calculates::Nothing => false,
            Calculates::Number => is_number && is_operator(word.gap),
            Calculates::Verb => is_number,
        };
        if is_arithmetic {
            self.arithmetic.extend([self.words - 1, self.words]);
        }
        self.last = if is_number && lower.ends_with(|c: char| c.is_ascii_digit()) {
            Calculates::Number
        } else if is_arithmetic_verb(lower) {
            Calculates::Verb
        } else {
            Calculates::Nothing
        };
    }
}

fn starts_with_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether two numbers with `gap` between them are arithmetic. Without blanks, `-` and `/` are
/// more often part of a date or a phone number.
fn is_operator(gap: &str) -> bool {
    let operator = gap.trim();
    let spaced = gap.starts_with(char::is_whitespace) && gap.ends_with(char::is_whitespace);
    match operator {
        "+" | "*" | "^" => spaced || operator == gap,
        "-" | "/" => spaced,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Index, Sentence};
    use crate::provider::echo::matching::{names::Names, words::Words};

    fn arithmetic(text: &str) -> Vec<u32> {
        let names = Names::of(["calculate"].into_iter());
        let index = Index::of(&names);
        let (mut sentence, mut lower) = (Sentence::default(), String::new());
        for word in Words::new(text, &[]) {
            let lower = word.lower_into(&mut lower);
            sentence.push(&word, lower, &index, &mut Budget::of_one_call()).unwrap();
        }
        sentence.arithmetic
    }

    #[test]
    fn finds_arithmetic() {
        let cases: [(&str, &[u32]); 10] = [
            ("10+5", &[0, 1]),
            ("what is 2 ^ 10", &[2, 3]),
            ("1*2", &[0, 1]),
            ("9 - 4", &[0, 1]),
            ("8 / 2km", &[0, 1]),
            ("1+2+3", &[0, 1, 1, 2]),
            ("please add 5", &[1, 2]),
            ("Multiply $3", &[0, 1]),
            ("he divides 3", &[1, 2]),
            ("3.5 + 2", &[1, 2]),
        ];
        for (text, expected) in cases {
            assert_eq!(arithmetic(text), expected, "{text}");
        }
    }

    #[test]
    fn finds_none_in_other_numbers() {
        for text in
            ["+1-555-0100", "2024-01-15", "1/2", "10 +5", "1 -2", "c+5", "add salt", "1, 2", "2**3"]
        {
            assert!(arithmetic(text).is_empty(), "{text}");
        }
    }
}
