//! Scrubbing twice gives the same twice; the strict scrubber finds nothing in what it left, and
//! neither makes a text much longer.

use mynah::pii::Scrubber;

/// The longest placeholder has sixteen bytes, the shortest match four.
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
