//! Embeddings: unit vectors that depend on the words of a text only, so that texts with common words
//! are near each other.

use mynah_core::provider::usage::tokens;
use twox_hash::XxHash3_64;

use crate::text::{canonicalize, is_caseless, lexicon::is_generic, words};

/// How many numbers of a vector a word changes. More make it less likely that two words coincide.
const CHANGES: u64 = 16;
/// The weight of a word, compared with a word such as "the".
const WEIGHT: i64 = 4;

/// A text to embed, or the tokens that the client has made of it.
#[derive(Debug, PartialEq, Eq)]
pub enum EmbeddingInput {
    /// A text.
    Text(String),
    /// The tokens of a text, whose meaning mynah does not know.
    Tokens(Vec<u64>),
}

impl EmbeddingInput {
    /// Returns the vector, whose length is 1. There must be at least one dimension.
    pub fn vector(&self, dimensions: usize) -> Vec<f32> {
        let mut sum = vec![0; dimensions];
        match self {
            Self::Text(text) => add_words(&mut sum, text),
            Self::Tokens(tokens) => {
                tokens.iter().for_each(|token| add(&mut sum, &token.to_le_bytes(), WEIGHT));
            }
        }
        if sum.iter().all(|value| *value == 0) {
            // There are no words, or they cancel each other out.
            change(&mut sum, self.hash(), 1);
        }
        unit(&sum)
    }

    /// Returns the number of tokens.
    pub fn tokens(&self) -> u64 {
        match self {
            Self::Text(text) => tokens(text.len()),
            Self::Tokens(tokens) => tokens.len() as u64,
        }
    }

    fn hash(&self) -> u64 {
        match self {
            Self::Text(text) => XxHash3_64::oneshot(text.as_bytes()),
            Self::Tokens(tokens) => {
                let bytes: Vec<u8> = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
                XxHash3_64::oneshot(&bytes)
            }
        }
    }
}

fn add_words(sum: &mut [i64], text: &str) {
    let mut form = String::new();
    for word in words(text) {
        let word = &text[word.range];
        form.clear();
        canonicalize(word, &mut form);
        add(sum, form.as_bytes(), if is_generic(&form) { 1 } else { WEIGHT });
        if word.starts_with(is_caseless) {
            add_pairs(sum, word);
        }
    }
}

/// Adds the pairs of characters. Some scripts put no space between words.
fn add_pairs(sum: &mut [i64], word: &str) {
    let starts = word.char_indices().map(|(at, _)| at);
    let ends = word.char_indices().skip(1).map(|(at, c)| at + c.len_utf8());
    starts.zip(ends).for_each(|(start, end)| add(sum, &word.as_bytes()[start..end], WEIGHT));
}

fn add(sum: &mut [i64], word: &[u8], weight: i64) {
    for seed in 0..CHANGES {
        change(sum, XxHash3_64::oneshot_with_seed(seed, word), weight);
    }
}

/// Adds the weight to, or subtracts it from, the number that a hash selects.
fn change(sum: &mut [i64], hash: u64, weight: i64) {
    let at = (hash >> 1) % (sum.len() as u64).max(1);
    if let Some(value) = sum.get_mut(at as usize) {
        *value += if hash & 1 == 0 { weight } else { -weight };
    }
}

/// Scales a vector to the length 1. All machines round these operations equally.
fn unit(sum: &[i64]) -> Vec<f32> {
    let length = sum.iter().map(|value| (*value as f64).powi(2)).sum::<f64>().sqrt();
    sum.iter().map(|value| (*value as f64 / length) as f32).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector(text: &str, dimensions: usize) -> Vec<f32> {
        EmbeddingInput::Text(text.to_owned()).vector(dimensions)
    }

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    fn similarity(a: &str, b: &str) -> f32 {
        cosine(&vector(a, 1536), &vector(b, 1536))
    }

    #[test]
    fn texts_with_common_words_are_near() {
        let near = [
            ("The cat sat on the mat.", "A cat is on my mats"),
            ("capital of France", "Paris is the capital of France."),
            ("今日の天気", "今日の天気予報"),
        ];
        for (a, b) in near {
            assert!(similarity(a, b) > 0.3, "{a} / {b}: {}", similarity(a, b));
        }
        let far = [
            ("The cat sat on the mat.", "The stocks of the bank fell"),
            ("hello", "world"),
            ("今日の天気は?", "東京大学"),
        ];
        for (a, b) in far {
            assert!(similarity(a, b).abs() < 0.2, "{a} / {b}: {}", similarity(a, b));
        }
    }

    #[test]
    fn plurals_and_case_make_no_difference() {
        assert_eq!(vector("Red apples!", 64), vector("red APPLE", 64));
    }

    #[test]
    fn tokens_are_words() {
        let vector = |tokens: &[u64]| EmbeddingInput::Tokens(tokens.to_vec()).vector(1536);
        assert_eq!(vector(&[1, 2]), vector(&[2, 1]));
        let similarity = cosine(&vector(&[1, 2]), &vector(&[1, 3]));
        assert!((0.3..0.7).contains(&similarity), "{similarity}");
    }

    proptest! {
        #[test]
        fn every_vector_has_the_length_one(text in "(\\PC|[a-z ]){0,20}", dimensions in 1_usize..40) {
            let vector = vector(&text, dimensions);
            prop_assert_eq!(vector.len(), dimensions);
            prop_assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-5);
        }
    }
}
