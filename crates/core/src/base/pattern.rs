//! Regular expressions of limited size.

use std::cell::Cell;

use regex::{Error, Regex, RegexBuilder};

use super::text::shorten;

/// The sizes in bytes with which a pattern is compiled. The smallest that suffices is its size.
const SIZES: [usize; 4] = [2 << 10, 16 << 10, 128 << 10, 1 << 20];
/// A pattern takes another step for each byte of a text and for each multiple of this size.
const STEP: usize = 4 << 10;
/// What the searches of a pattern in a request keep, in bytes.
const SEARCH: usize = 1 << 20;
/// What the searches of a pattern of an instance keep. Instances live long, and few of them use their
/// patterns at the same time.
const INSTANCE_SEARCH: usize = SEARCH / 8;
/// A pattern is compiled for searches forwards and backwards.
const COPIES: usize = 2;
/// Maximum number of characters of a pattern in an error.
const MAX_SHOWN: usize = 200;

/// A regular expression, and an upper bound of its size.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Regex,
    size: usize,
}

/// Limits on the patterns of one text.
#[derive(Debug)]
pub struct PatternLimits {
    /// The maximum number of patterns.
    count: usize,
    /// The maximum size of a compiled pattern in bytes.
    each: usize,
    /// The maximum size of all compiled patterns.
    total: usize,
    /// The maximum memory of a search, if it is limited.
    search: Option<usize>,
    /// What the searches of a pattern keep.
    kept: usize,
}

/// The patterns of a text that is being read.
#[derive(Debug, Clone, Copy)]
struct Compiled {
    limits: &'static PatternLimits,
    count: usize,
    total: usize,
}

thread_local! {
    /// The patterns of the text that this thread reads. `Deserialize` has no parameter for them.
    static COMPILED: Cell<Option<Compiled>> = const { Cell::new(None) };
}

impl PatternLimits {
    /// The limits on a file.
    pub const FILE: &Self =
        &Self { count: usize::MAX, each: 1 << 20, total: 128 << 20, search: None, kept: SEARCH };
    /// The limits on a request.
    pub const REQUEST: &Self =
        &Self { count: 200, each: 1 << 20, total: 16 << 20, search: Some(64 << 10), kept: SEARCH };
    /// The limits on the properties of an instance.
    pub const INSTANCE: &Self = &Self { count: 400, kept: INSTANCE_SEARCH, ..*Self::REQUEST };

    /// Reads a text whose patterns are compiled within the limits. Also returns their memory.
    ///
    /// If the text is a part of another one that is being read, the limits of that one apply.
    pub fn read<T>(&'static self, read: impl FnOnce() -> T) -> (T, usize) {
        if let Some(outer) = COMPILED.get() {
            let value = read();
            let after = COMPILED.get().map_or(0, |compiled| compiled.memory());
            return (value, after - outer.memory());
        }
        COMPILED.set(Some(Compiled::new(self)));
        let _restore = scopeguard::guard((), |()| COMPILED.set(None));
        let value = read();
        (value, COMPILED.get().map_or(0, |compiled| compiled.memory()))
    }
}

impl Compiled {
    fn new(limits: &'static PatternLimits) -> Self {
        Self { limits, count: 0, total: 0 }
    }

    /// Returns the maximum memory of the patterns, in bytes.
    fn memory(self) -> usize {
        self.count * self.limits.kept + COPIES * self.total
    }

    /// Compiles a pattern if the limits allow it. Returns the reason if they do not.
    fn compile(&mut self, pattern: &str, ignore_case: bool) -> Result<Pattern, String> {
        let PatternLimits { count, each, total, .. } = *self.limits;
        if self.count == count {
            return Err(format!("there are too many patterns; expected at most {count}"));
        }
        self.count += 1;
        for size in SIZES.into_iter().filter(|size| *size <= each) {
            if self.total + size > total {
                let limit = format!("expected at most {total} bytes when compiled");
                return Err(format!("the patterns together are too large; {limit}"));
            }
            match self.limits.build(pattern, ignore_case, size) {
                Ok(regex) => {
                    self.total += size;
                    return Ok(Pattern { regex, size });
                }
                Err(Error::CompiledTooBig(_)) => {}
                Err(error) => return Err(reason(&error)),
            }
        }
        // Finding out took as long as compiling it.
        self.total += each;
        Err(format!("it is too large; expected at most {each} bytes when compiled"))
    }
}

impl PatternLimits {
    fn build(&self, pattern: &str, ignore_case: bool, size: usize) -> Result<Regex, Error> {
        let mut builder = RegexBuilder::new(pattern);
        builder.case_insensitive(ignore_case).size_limit(size);
        if let Some(limit) = self.search {
            builder.dfa_size_limit(limit);
        }
        builder.build()
    }
}

impl Pattern {
    /// Compiles a pattern within the limits of the text that is read, or else of a file.
    pub fn compile(pattern: &str, ignore_case: bool) -> Result<Self, String> {
        let reading = COMPILED.get();
        let mut compiled = reading.unwrap_or_else(|| Compiled::new(PatternLimits::FILE));
        let result = compiled.compile(pattern, ignore_case);
        if reading.is_some() {
            COMPILED.set(Some(compiled));
        }
        let shown = shorten(pattern, MAX_SHOWN);
        result.map_err(|reason| format!("the pattern {shown:?} is invalid: {reason}"))
    }

    /// Returns the regular expression.
    pub fn regex(&self) -> &Regex {
        &self.regex
    }

    /// Returns the work of a search in a text, in steps.
    pub fn work(&self, text: usize) -> usize {
        text.saturating_mul(2 + self.size / STEP)
    }
}

/// Returns the reason for an error, above which the crate draws a picture.
fn reason(error: &Error) -> String {
    let text = error.to_string();
    let reason = text.lines().last().unwrap_or_default();
    reason.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    static LIMITS: PatternLimits = PatternLimits {
        count: 3,
        each: 128 << 10,
        total: 150 << 10,
        search: Some(64 << 10),
        kept: 5,
    };

    fn errors(patterns: &[&str]) -> Vec<String> {
        let read = |pattern: &&str| Pattern::compile(pattern, false).err().unwrap_or_default();
        LIMITS.read(|| patterns.iter().map(read).collect()).0
    }

    #[test]
    fn the_size_of_a_pattern_decides_its_work() {
        let small = Pattern::compile("^hello .*world$", false).unwrap();
        let large = Pattern::compile(r"\w{20}", false).unwrap();
        assert_eq!(small.work(10), 20);
        assert!(large.work(10) > 100, "{}", large.size);
    }

    #[test]
    fn patterns_of_a_text_are_limited_together() {
        let large = r"\w{999}";
        let [too_large, too_many, together] =
            [&[large][..], &["a", "b", "c", "d"], &[large, "a", r"\w{9}"]].map(errors);
        assert!(
            too_large[0].ends_with("it is too large; expected at most 131072 bytes when compiled")
        );
        assert_eq!(too_many[..3], ["", "", ""]);
        assert!(too_many[3].ends_with("there are too many patterns; expected at most 3"));
        assert_eq!(together[1], "", "there is room for a small one");
        assert!(together[2].contains("the patterns together are too large"));
        let (_, memory) = LIMITS.read(|| Pattern::compile("a", false));
        assert_eq!(memory, 5 + COPIES * SIZES[0], "the limits end with the text");
    }

    #[test]
    fn invalid_patterns_count() {
        let (_, memory) = LIMITS.read(|| Pattern::compile("(", false));
        assert_eq!(memory, 5);
    }

    #[test]
    fn the_limits_of_a_whole_text_apply_to_its_parts() {
        let part = || PatternLimits::FILE.read(|| Pattern::compile("a", false)).1;
        let (parts, memory) = LIMITS.read(|| [part(), part(), part(), part()]);
        assert_eq!(parts, [5 + COPIES * SIZES[0], 5 + COPIES * SIZES[0], 5 + COPIES * SIZES[0], 0]);
        assert_eq!(memory, parts.iter().sum::<usize>());
    }
}
