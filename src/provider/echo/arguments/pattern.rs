//! A string for a regular expression.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Characters to take from a class, the most readable first.
const READABLE: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890 -_.,:;/@#+*=!?&%$~'\"()[]{}<>^|`\\";

/// Strings for one pattern, numbered: neighbours differ wherever the pattern leaves a choice.
pub(super) struct Pattern(Hir);

impl Pattern {
    pub(super) fn parse(pattern: &str) -> Option<Self> {
        regex_syntax::parse(pattern).ok().map(Self)
    }

    /// The `nth` string, stretched towards `least` characters; `None` if it takes over `limit`
    /// bytes. `lean` leaves out what may be left out. Assertions inside are not looked at, so the
    /// caller checks the string.
    pub(super) fn string(
        &self,
        nth: usize,
        lean: bool,
        least: usize,
        limit: usize,
    ) -> Option<String> {
        let write = |missing| {
            let steps = 8 * limit;
            let mut writer = Writer { text: String::new(), nth, lean, missing, limit, steps };
            writer.write(&self.0).map(|()| writer.text)
        };
        let short = write(0)?;
        let missing = least.saturating_sub(short.chars().count());
        if missing == 0 {
            return Some(short);
        }
        write(missing).map(|text| padded(text, least, limit))
    }
}

/// Filled up with letters to `least` characters, as far as the limit goes.
pub(super) fn padded(mut text: String, least: usize, limit: usize) -> String {
    let missing = least.saturating_sub(text.chars().count());
    text.push_str(&"x".repeat(missing.min(limit.saturating_sub(text.len()))));
    text
}

struct Writer {
    text: String,
    /// What is left of the number of the string; every choice takes its share.
    nth: usize,
    lean: bool,
    /// Characters that repetitions shall add.
    missing: usize,
    limit: usize,
    /// Empty repetitions write nothing, but take time.
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
        (self.text.len() <= self.limit).then_some(())
    }

    fn choose(&mut self, choices: usize) -> usize {
        let choice = self.nth % choices;
        self.nth /= choices;
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

    /// As often as it must be; `*` once; more often while characters are missing.
    fn repeat(&mut self, sub: &Hir, min: u32, max: Option<u32>) -> Option<()> {
        let most = max.unwrap_or(u32::MAX);
        let usual = if most > 1 && !self.lean { min.max(1) } else { min };
        let more = usize::try_from(most - usual).ok()?.min(9);
        let times = usual + u32::try_from(self.choose(more + 1)).ok()?;
        (0..times).try_for_each(|_| self.write(sub))?;
        for _ in times..most {
            let missing = std::mem::take(&mut self.missing);
            if missing == 0 {
                break;
            }
            let before = self.text.len();
            self.write(sub)?;
            let written = self.text[before..].chars().count();
            self.missing = missing.saturating_sub(written);
            if written == 0 {
                self.missing = missing;
                break;
            }
        }
        Some(())
    }
}
