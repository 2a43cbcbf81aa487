//! Checks that scrubbing is deterministic, that the strict scrubber finds nothing in its own
//! output, and that scrubbing does not make text much longer.

use mynah::internals::pii::Scrubber;

/// The maximum growth: the longest placeholder has 16 bytes, and the shortest match has 4.
const GROWTH: usize = 4;

pub fn run(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    for scrubber in [Scrubber::Dapr, Scrubber::Strict] {
        let scrubbed = scrubber.scrub(&text);
        assert_eq!(scrubber.scrub(&text), scrubbed);
        assert!(scrubbed.len() <= GROWTH * text.len(), "{text:?} becomes {scrubbed:?}");
    }
    let strict = Scrubber::Strict.scrub(&text);
    assert_eq!(Scrubber::Strict.scrub(&strict), strict);
    strict != text
}
