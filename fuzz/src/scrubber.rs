//! Scrubbing is deterministic, the strict scrubber finds nothing in its own output, and no scrubber
//! makes a text much longer.

use mynah::internals::pii::Scrubber;

/// The longest placeholder has 16 bytes, the shortest match 4.
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
