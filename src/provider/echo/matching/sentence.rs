//! The words in a sentence that are relevant to the offered tools.

use super::{
    index::Index,
    multimap::Multimap,
    tokens::Token,
    word_lists::is_arithmetic_verb,
    work_budget::{Exhausted, WorkBudget},
};

/// The terms and the arithmetic in a sentence. A position is the index of a word in the sentence.
#[derive(Debug, Default)]
pub(super) struct Sentence {
    /// Maps each term to its positions.
    pub(super) positions: Multimap,
    /// The positions of words that are part of arithmetic, such as both words in "add 5".
    pub(super) arithmetic: Vec<u32>,
    word_count: u32,
    previous: Operand,
}

/// The role of a word if the next word is a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Operand {
    #[default]
    None,
    /// A number. It forms arithmetic if an operator comes before the next number.
    Number,
    /// A verb such as "add".
    Verb,
}

impl Sentence {
    /// Removes all words.
    pub(super) fn clear(&mut self) {
        self.positions.clear();
        self.arithmetic.clear();
        self.word_count = 0;
        self.previous = Operand::None;
    }

    /// Returns `true` if the sentence contains any term or arithmetic.
    pub(super) fn may_mention_tools(&self) -> bool {
        !self.positions.is_empty() || !self.arithmetic.is_empty()
    }

    /// Adds the next word. `lowercase` is the same word in lower case.
    pub(super) fn push(
        &mut self,
        token: &Token,
        lowercase: &str,
        index: &Index,
        budget: &mut WorkBudget,
    ) -> Result<(), Exhausted> {
        for term in index.terms.with_stem_of(lowercase) {
            budget.spend(1)?;
            if index.terms.is_same_word(term, lowercase) {
                self.positions.push(term, self.word_count);
            }
        }
        if !index.arithmetic_tools.is_empty() {
            self.detect_arithmetic(token, lowercase);
        }
        self.word_count += 1;
        Ok(())
    }

    fn detect_arithmetic(&mut self, token: &Token, lowercase: &str) {
        let is_number = starts_with_digit(lowercase);
        let is_arithmetic = match self.previous {
            Operand::None => false,
            Operand::Number => is_number && is_operator(token.separator),
            Operand::Verb => is_number,
        };
        if is_arithmetic {
            self.arithmetic.extend([self.word_count - 1, self.word_count]);
        }
        self.previous = if is_number && lowercase.ends_with(|c: char| c.is_ascii_digit()) {
            Operand::Number
        } else if is_arithmetic_verb(lowercase) {
            Operand::Verb
        } else {
            Operand::None
        };
    }
}

fn starts_with_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns `true` if the separator between two numbers is an operator. `-` and `/` need spaces
/// around them: without spaces, they are usually part of a date or a phone number.
fn is_operator(separator: &str) -> bool {
    let operator = separator.trim();
    let spaced =
        separator.starts_with(char::is_whitespace) && separator.ends_with(char::is_whitespace);
    match operator {
        "+" | "*" | "^" => spaced || operator == separator,
        "-" | "/" => spaced,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Index, Sentence, WorkBudget};
    use crate::provider::echo::effort::Effort;
    use crate::provider::echo::matching::{tokens::Tokens, tool_names::ToolNames};

    fn arithmetic(text: &str) -> Vec<u32> {
        let names = ToolNames::new(["calculate"].into_iter());
        let index = Index::new(&names);
        let (mut sentence, mut buffer) = (Sentence::default(), String::new());
        for token in Tokens::new(text, &[]) {
            let lowercase = token.lowercase_into(&mut buffer);
            sentence
                .push(&token, lowercase, &index, &mut WorkBudget::for_one_call(&Effort::full()))
                .unwrap();
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
    fn ignores_other_numbers() {
        for text in
            ["+1-555-0100", "2024-01-15", "1/2", "10 +5", "1 -2", "c+5", "add salt", "1, 2", "2**3"]
        {
            assert!(arithmetic(text).is_empty(), "{text}");
        }
    }
}
