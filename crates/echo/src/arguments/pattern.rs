//! Generates strings that match a regular expression.

use regex_syntax::hir::{Class, Hir, HirKind};

/// The preferred characters in a class, most readable first.
const READABLE: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890 -_.,:;/@#+*=!?&%$~'\"()[]{}<>^|`\\";

/// A parsed pattern. Consecutive variants differ if the pattern leaves a choice.
pub(super) struct Pattern(Hir);

impl Pattern {
    /// Parses a pattern, unless it is empty or not supported.
    pub(super) fn parse(pattern: &str) -> Option<Self> {
        regex_syntax::parse(pattern).ok().filter(|_| !pattern.is_empty()).map(Self)
    }

    /// Generates a string, lengthened to `min_len` characters if possible. Returns `None`
    /// if the string exceeds `max_bytes`. A `minimal` string omits everything optional.
    ///
    /// Assertions such as `\b` are ignored, so the caller must check the string.
    pub(super) fn generate(
        &self,
        variant: usize,
        minimal: bool,
        min_len: usize,
        max_bytes: usize,
    ) -> Option<String> {
        let write = |missing| {
            let steps = 8 * max_bytes;
            let text = String::new();
            let mut writer = Writer { text, variant, minimal, missing, max_bytes, steps };
            writer.write(&self.0).map(|()| writer.text)
        };
        let short = write(0)?;
        let missing = min_len.saturating_sub(short.chars().count());
        if missing == 0 {
            return Some(short);
        }
        write(missing).map(|text| pad(text, min_len, max_bytes))
    }
}

/// Pads a text with letters to `min_len` characters, but to at most `max_bytes` bytes.
pub(super) fn pad(mut text: String, min_len: usize, max_bytes: usize) -> String {
    let missing = min_len.saturating_sub(text.chars().count());
    text.push_str(&"x".repeat(missing.min(max_bytes.saturating_sub(text.len()))));
    text
}

struct Writer {
    text: String,
    /// The number of the variant, read as a mixed-radix number: each choice uses one digit.
    variant: usize,
    minimal: bool,
    /// Number of characters that repetitions should add.
    missing: usize,
    max_bytes: usize,
    /// Number of steps left. Empty repetitions write nothing but still take time.
    steps: usize,
}

impl Writer {
    fn write(&mut self, hir: &Hir) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self.text.push_str(str::from_utf8(&literal.0).ok()?),
            HirKind::Class(class) => self.write_class(class)?,
            HirKind::Capture(capture) => self.write(&capture.sub)?,
            HirKind::Concat(parts) => parts.iter().try_for_each(|part| self.write(part))?,
            HirKind::Alternation(branches) => {
                let branch = self.choose(branches.len());
                self.write(&branches[branch])?;
            }
            HirKind::Repetition(repetition) => {
                self.repeat(&repetition.sub, repetition.min, repetition.max)?;
            }
        }
        (self.text.len() <= self.max_bytes).then_some(())
    }

    fn choose(&mut self, choices: usize) -> usize {
        let choice = self.variant % choices;
        self.variant /= choices;
        choice
    }

    fn write_class(&mut self, class: &Class) -> Option<()> {
        let Class::Unicode(class) = class else { return None };
        let holds = |char: &char| {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(char))
        };
        let readable: Vec<char> = READABLE.chars().filter(holds).collect();
        let char = match readable.len() {
            0 => class.ranges().first()?.start(),
            choices => readable[self.choose(choices)],
        };
        self.text.push(char);
        Some(())
    }

    /// Writes the minimum number of repetitions (one for `*`), plus more while characters are
    /// missing.
    fn repeat(&mut self, sub: &Hir, min: u32, max: Option<u32>) -> Option<()> {
        let max = max.unwrap_or(u32::MAX);
        let usual = if max > 1 && !self.minimal { min.max(1) } else { min };
        let extra = usize::try_from(max - usual).ok()?.min(9);
        let times = usual + u32::try_from(self.choose(extra + 1)).ok()?;
        (0..times).try_for_each(|_| self.write(sub))?;
        for _ in times..max {
            // An inner repetition must not add the same characters.
            let missing = std::mem::take(&mut self.missing);
            let before = self.text.len();
            if missing > 0 {
                self.write(sub)?;
            }
            let written = self.text[before..].chars().count();
            self.missing = missing - written.min(missing);
            if written == 0 {
                break;
            }
        }
        Some(())
    }
}
