//! Finds lists of words that are no facts of their own: "touring skis, skins and poles".

use std::ops::Range;

use crate::{
    facts::{FactType, Reading},
    text::{
        lexicon::{AMOUNT_UNITS, CLAUSE_WORDS, ITEM_STARTS, PHRASE_ENDS, contains},
        words,
    },
};

/// Maximum number of bytes of a list.
const MAX_BYTES: usize = 256;
/// Maximum number of words of an item.
const MAX_WORDS: usize = 5;

/// What begins a quotation.
const QUOTES: [char; 5] = ['\'', '‘', '"', '“', '`'];

/// How a word continues a list.
enum Step {
    Joint,
    Article,
    Word,
    /// The list ends before the word.
    End,
    /// The word belongs to another clause, and so do those of the item.
    Clause,
}

/// A list that is being read.
#[derive(Default)]
struct Items {
    items: Vec<Range<usize>>,
    open: Option<Range<usize>>,
    /// Where the item ends if what follows "with" is not part of it.
    before_with: Option<usize>,
    count: usize,
    /// Whether the item is the last of the list.
    is_last: bool,
}

/// Returns the items of the list that starts at the start of a part of a message.
pub(super) fn phrases(reading: &Reading, part: Range<usize>) -> Vec<Range<usize>> {
    let text =
        &reading.text[..part.end.min(reading.text.floor_char_boundary(part.start + MAX_BYTES))];
    let Some(rest) = text.get(part.start..) else { return Vec::new() };
    let rest = rest.trim_start_matches([' ', ':', ',', '=']);
    let (mut last, mut list) = (text.len() - rest.len(), Items::default());
    let start = last;
    for word in words(rest) {
        let run = start + word.run.start..start + word.run.end;
        if run.start < last {
            continue;
        }
        let gap = &text[last..run.start];
        // The words say what the value behind them is: "with user_id 12", "with code 'A'".
        if gap == "_" || gap.starts_with(' ') && gap.ends_with(QUOTES) {
            return list.items;
        }
        if !matches!(gap, "" | " " | ", " | "-" | "'" | "’" | "' " | "’ " | " & " | "/") {
            return list.end();
        }
        if gap == ", " && list.is_last && list.open.is_some() {
            break;
        }
        if gap == ", " || gap == " & " {
            list.close();
        }
        match step(reading, &run, list.open.is_some()) {
            Step::Joint => {
                list.close();
                list.is_last = true;
            }
            Step::Article if list.open.is_none() => {}
            Step::Word if list.count < MAX_WORDS => list.extend(&text[run.clone()], &run),
            Step::End => return list.end(),
            _ => return list.items,
        }
        last = run.end;
    }
    list.close();
    list.items
}

fn step(reading: &Reading, word: &Range<usize>, is_inside: bool) -> Step {
    use FactType::{Capitals, Choice, Code, Currency, Identifier, Language, Name, Number, Word};
    let written = reading.text[word.clone()].to_lowercase();
    let is_in = |list| contains(list, &written);
    match reading.fact_in(word).map(|fact| fact.of) {
        _ if is_in("and or plus") => Step::Joint,
        _ if is_in(ITEM_STARTS) => Step::Article,
        // "steam engines that are on display"
        _ if is_inside && is_in("that which who") => Step::End,
        _ if is_in(CLAUSE_WORDS) => Step::Clause,
        _ if is_in(PHRASE_ENDS) => Step::End,
        // "bump the price of the club sandwich up to 13"
        _ if is_in("up down over") && reading.text[word.end..].starts_with(" to ") => Step::End,
        // "Deploy billing 4.0.0 to staging"
        Some(Code)
            if is_inside
                && written.starts_with(|c: char| c.is_ascii_digit())
                && reading.text[word.end..].starts_with('.') =>
        {
            Step::End
        }
        // "gabapentin 100 mg"
        Some(Number) if is_inside && has_unit(&reading.text[word.end..]) => Step::End,
        // "on rowing machine 2, the belt is loose"
        Some(Number | Code) if is_inside && !ends_phrase(&reading.text[word.end..]) => Step::Clause,
        None
        | Some(
            Name | Word | Language | Capitals | Currency | Choice | Number | Code | Identifier,
        ) => Step::Word,
        Some(_) => Step::End,
    }
}

/// Returns `true` if a mark or the end of the text stands directly behind a word.
fn ends_phrase(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([',', '.', ':', ';', '?', '!'])
}

/// Returns `true` if a unit stands behind a number.
fn has_unit(rest: &str) -> bool {
    let mut words = rest.split(|c: char| !c.is_alphanumeric());
    words.nth(1).is_some_and(|word| contains(AMOUNT_UNITS, word))
}

impl Items {
    fn extend(&mut self, written: &str, word: &Range<usize>) {
        let start = self.open.as_ref().map_or(word.start, |open| open.start);
        if contains("with without", written) {
            self.before_with = self.open.as_ref().map(|open| open.end);
        }
        self.open = Some(start..word.end);
        self.count += 1;
    }

    /// Ends the item.
    fn close(&mut self) {
        self.items.extend(self.open.take());
        (self.before_with, self.count) = (None, 0);
    }

    /// Ends the list before a word that is not part of it.
    fn end(mut self) -> Vec<Range<usize>> {
        if let Some((open, end)) = self.open.as_mut().zip(self.before_with) {
            open.end = end;
        }
        self.close();
        self.items
    }
}
