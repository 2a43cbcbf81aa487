//! Tests of `conversation.scripted`: the settings and the fallback.

use insta::assert_snapshot;

use super::*;
use crate::provider::scripted::OnExhausted;

fn scripted(name: &str, metadata: &str) -> String {
    echo(name, metadata).replace("conversation.echo", "conversation.scripted")
}

fn falling_back(name: &str, to: &str) -> String {
    scripted(name, &format!("  - {{name: fallback, value: {to}}}\n"))
}

fn loaded(text: &str) -> Vec<ComponentSpec> {
    let folder = folder(&[("a.yaml", text.as_bytes())]);
    let loaded = load(&[folder.path().to_owned()], &context());
    assert_eq!((&loaded.errors, &loaded.notices), (&vec![], &vec![]));
    loaded.components
}

#[test]
fn has_defaults() {
    let plain = ScriptedSpec { settings: ScriptedSettings::default(), fallback: Fallback::Echo };
    for text in [scripted("s", ""), falling_back("s", "echo")] {
        assert_eq!(*provider::<ScriptedSpec>(&loaded(&text)[0]), plain);
    }
}

#[test]
fn reads_all_keys() {
    let metadata = "  - {name: chains, value: false}\n  - {name: fallback, value: error}\n  \
        - {name: onExhausted, value: repeat_last}\n  - {name: allowUnoffered, value: true}\n  \
        - {name: model, value: m}\n  - {name: wordsPerChunk, value: 7}\n  \
        - {name: chunkDelay, value: 5ms}\n  - {name: timeToFirstChunk, value: 1s}\n";
    let settings = ScriptedSettings {
        chains: false,
        on_exhausted: OnExhausted::RepeatLast,
        allow_unoffered: true,
        model: "m".into(),
        stream: StreamOptions {
            words_per_chunk: 7.try_into().unwrap(),
            chunk_delay: Duration::from_millis(5),
            time_to_first_chunk: Duration::from_secs(1),
        },
    };
    let expected = ScriptedSpec { settings, fallback: Fallback::Error };
    assert_eq!(*provider::<ScriptedSpec>(&loaded(&scripted("s", metadata))[0]), expected);
}

#[test]
fn rejects_invalid_values() {
    let metadata = "  - {name: chains, value: maybe}\n  - {name: onExhausted, value: stop}\n  \
        - {name: allowUnoffered, value: 1}\n  - {name: wordsPerChunk, value: 0}\n  \
        - {name: chunkDelay, value: fast}\n  - {name: timeToFirstChunk, value: -1s}\n  \
        - {name: rules, value: x}\n";
    assert_snapshot!(outcome(&[("a.yaml", &scripted("s", metadata))]), @r#"
    Warning a.yaml:15:5: unknown metadata key "rules" for conversation.scripted; expected one of: chains, fallback, onExhausted, allowUnoffered, model, wordsPerChunk, chunkDelay, timeToFirstChunk, piiScrubber
    ! a.yaml:9:27: chains: "maybe" is invalid; use true or false
    ! a.yaml:10:32: onExhausted: "stop" is invalid; use fallback, error, repeat_last or loop
    ! a.yaml:11:35: allowUnoffered: "1" is invalid; use true or false
    ! a.yaml:12:34: wordsPerChunk: "0" is not a valid number of words; use 1 or more
    ! a.yaml:13:31: chunkDelay: "fast" is not a duration; use Go's format, such as 50ms or 1.5s
    ! a.yaml:14:37: timeToFirstChunk: "-1s" is negative; use a duration of 0s or more
    "#);
}

#[test]
fn resolves_fallbacks_in_any_order() {
    let text = [falling_back("a", "b"), falling_back("b", "c"), echo("c", "")].join("---\n");
    let components = loaded(&text);
    assert_eq!(provider::<ScriptedSpec>(&components[0]).fallback, Fallback::Component);
    let second = components[0].fallback.as_deref().expect("a fallback");
    let third = second.fallback.as_deref().expect("a fallback");
    assert_eq!((second, third), (&components[1], &components[2]));
}

#[test]
fn rejects_missing_and_cyclic_fallbacks() {
    let text = [
        falling_back("lost", "nowhere"),
        falling_back("self", "self"),
        falling_back("one", "two"),
        falling_back("two", "three"),
        falling_back("three", "one"),
        falling_back("onto", "one"),
        falling_back("after", "lost"),
    ];
    assert_snapshot!(outcome(&[("a.yaml", &text.join("---\n"))]), @r#"
    + lost conversation.scripted
    + self conversation.scripted
    + one conversation.scripted
    + two conversation.scripted
    + three conversation.scripted
    + onto conversation.scripted
    + after conversation.scripted
    ! a.yaml:9:5: fallback: unknown component "nowhere"; expected echo, error or one of: lost, self, one, two, three, onto, after
    ! a.yaml:19:5: fallback: self -> self is a cycle; end it with echo or error
    ! a.yaml:29:5: fallback: one -> two -> three -> one is a cycle; end it with echo or error
    ! a.yaml:39:5: fallback: two -> three -> one -> two is a cycle; end it with echo or error
    ! a.yaml:49:5: fallback: three -> one -> two -> three is a cycle; end it with echo or error
    "#);
}

#[test]
fn skips_component_without_its_fallback_if_errors_are_ignored() {
    let lenient = |name: &str, to: &str| {
        falling_back(name, to).replace("spec:\n", "spec:\n  ignoreErrors: true\n")
    };
    let text = [lenient("a", "b"), lenient("b", "nowhere"), echo("c", "")].join("---\n");
    assert_snapshot!(outcome(&[("a.yaml", &text)]), @r#"
    + c conversation.echo
    Warning a.yaml:21:5: component b is skipped (spec.ignoreErrors): fallback: unknown component "nowhere"; expected echo, error or one of: a, b, c
    Warning a.yaml:10:5: component a is skipped (spec.ignoreErrors): fallback: unknown component "b"; expected echo, error or one of: a, c
    "#);
}
