//! Tests of `conversation.scripted`: the settings and the fallback.

use insta::assert_snapshot;

use super::*;
use crate::provider::scripted::{OnExhausted, OnMalformed};

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
    let plain = ScriptedSpec {
        settings: ScriptedSettings::default(),
        fallback: Fallback::Echo,
        rules: None,
    };
    for text in [scripted("s", ""), falling_back("s", "echo")] {
        assert_eq!(*provider::<ScriptedSpec>(&loaded(&text)[0]), plain);
    }
}

#[test]
fn reads_all_keys() {
    let metadata = "  - {name: chains, value: false}\n  - {name: fallback, value: error}\n  \
        - {name: onExhausted, value: repeat_last}\n  - {name: allowUnoffered, value: true}\n  \
        - {name: onMalformed, value: fallback}\n  - {name: model, value: m}\n  - {name: wordsPerChunk, value: 7}\n  \
        - {name: chunkDelay, value: 5ms}\n  - {name: timeToFirstChunk, value: 1s}\n";
    let settings = ScriptedSettings {
        chains: false,
        on_exhausted: OnExhausted::RepeatLast,
        on_malformed: OnMalformed::Fallback,
        allow_unoffered: true,
        model: "m".into(),
        stream: StreamOptions {
            chunk_size: crate::chat::ChunkSize::Words(7.try_into().unwrap()),
            chunk_delay: Duration::from_millis(5),
            time_to_first_chunk: Duration::from_secs(1),
        },
    };
    let expected = ScriptedSpec { settings, fallback: Fallback::Error, rules: None };
    assert_eq!(*provider::<ScriptedSpec>(&loaded(&scripted("s", metadata))[0]), expected);
}

#[test]
fn rejects_invalid_values() {
    let metadata = "  - {name: chains, value: maybe}\n  - {name: onExhausted, value: stop}\n  \
        - {name: allowUnoffered, value: 1}\n  - {name: wordsPerChunk, value: 0}\n  \
        - {name: chunkDelay, value: fast}\n  - {name: timeToFirstChunk, value: -1s}\n  \
        - {name: rule, value: x}\n";
    assert_snapshot!(outcome(&[("a.yaml", &scripted("s", metadata))]), @r#"
    Warning a.yaml:15:5: unknown metadata key "rule" for conversation.scripted; expected one of: chains, fallback, onExhausted, onMalformed, allowUnoffered, model, wordsPerChunk, chunkDelay, timeToFirstChunk, rules, piiScrubber, tools, maxTurns, toolMemory, faults, history
    ! a.yaml:9:27: chains: "maybe" is invalid; use true or false
    ! a.yaml:10:32: onExhausted: "stop" is invalid; use message, fallback, error, repeat_last or loop
    ! a.yaml:11:35: allowUnoffered: "1" is invalid; use true or false
    ! a.yaml:12:34: wordsPerChunk: "0" is not a valid number of words; use 1 or more
    ! a.yaml:13:31: chunkDelay: "fast" is not a duration; use Go's format, such as 50ms or 1.5s
    ! a.yaml:14:37: timeToFirstChunk: "-1s" is negative; use a duration of 0s or more
    "#);
}

#[test]
fn resolves_fallbacks_in_any_order() {
    let text = [falling_back("a", "b"), echo("c", ""), falling_back("b", "c")].join("---\n");
    let components = loaded(&text);
    let [a, c, b] = components.as_slice() else { panic!("{components:?}") };
    assert_eq!(provider::<ScriptedSpec>(a).fallback, Fallback::Component);
    assert_eq!([&a.fallback, &b.fallback].map(Option::as_deref), [Some(c); 2]);
    assert_eq!(c.fallback, None);
}

/// A component that follows chains passes on only requests without one.
#[test]
fn skips_fallbacks_that_never_answer() {
    let off = |name: &str, to: &str| {
        scripted(
            name,
            &format!("  - {{name: fallback, value: {to}}}\n  - {{name: chains, value: false}}\n"),
        )
    };
    let text = [
        off("a", "b"),
        off("b", "c"),
        falling_back("c", "d"),
        falling_back("d", "e"),
        off("e", "f"),
        falling_back("f", "error"),
    ];
    let components = loaded(&text.join("---\n"));
    let fallbacks: Vec<_> = components
        .iter()
        .map(|component| component.fallback.as_ref().map_or("-", |fallback| &fallback.name))
        .collect();
    assert_eq!(fallbacks, ["c", "c", "f", "f", "f", "-"]);
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
    ! a.yaml:9:29: fallback: "nowhere" is not a component; expected echo, error or one of: lost, self, one, two, three, onto, after
    ! a.yaml:19:29: fallback: self -> self is a cycle; end it with echo or error
    ! a.yaml:29:29: fallback: one -> two -> three -> one is a cycle; end it with echo or error
    ! a.yaml:39:29: fallback: two -> three -> one -> two is a cycle; end it with echo or error
    ! a.yaml:49:29: fallback: three -> one -> two -> three is a cycle; end it with echo or error
    "#);
}

fn lenient(name: &str, to: &str) -> String {
    falling_back(name, to).replace("spec:\n", "spec:\n  ignoreErrors: true\n")
}

#[test]
fn removes_a_cycle_whose_errors_are_ignored() {
    let text = [lenient("a", "b"), lenient("b", "c"), falling_back("d", "a"), lenient("c", "a")];
    assert_snapshot!(outcome(&[("a.yaml", &text.join("---\n"))]), @r#"
    + d conversation.scripted
    Warning a.yaml:10:29: component a is skipped (spec.ignoreErrors): fallback: a -> b -> c -> a is a cycle; end it with echo or error
    Warning a.yaml:42:29: component c is skipped (spec.ignoreErrors): fallback: "a" is not a component; expected echo, error or one of: b, d, c
    Warning a.yaml:21:29: component b is skipped (spec.ignoreErrors): fallback: "c" is not a component; expected echo, error or one of: b, d
    ! a.yaml:31:29: fallback: "a" is not a component; expected echo, error or one of: d
    "#);
}

/// The time was cubic in the number of components, and so was the length of the messages.
#[test]
fn resolves_thousands_of_fallbacks() {
    const COUNT: usize = 5_000;
    let all = |component: &dyn Fn(&str, &str) -> String, last: &str| {
        let next = |index| format!("c{}", index + 1);
        let text = (0..COUNT - 1).map(|index| component(&format!("c{index}"), &next(index)));
        let last = component(&next(COUNT - 2), last);
        text.chain([last]).collect::<Vec<_>>().join("---\n")
    };
    let components = loaded(&all(&falling_back, "echo"));
    assert_eq!(components.len(), COUNT);
    let last = components.last();
    assert!(components[..COUNT - 1].iter().all(|component| component.fallback.as_deref() == last));

    let cycle = outcome(&[("a.yaml", &all(&falling_back, "c0"))]);
    let path = "fallback: c1 -> c2 -> c3 -> c4 -> c5 -> c6 -> c7 -> c8 -> c9 -> c10 -> \
        … (4990 more) -> c1 is a cycle; end it with echo or error";
    assert!(cycle.contains(path), "{}", &cycle[..2_000]);
    assert_eq!(cycle.matches("is a cycle").count(), COUNT);

    let lost = outcome(&[("a.yaml", &all(&lenient, "nowhere"))]);
    assert_eq!(lost.matches("is skipped").count(), COUNT);
    assert_eq!(outcome(&[("a.yaml", &all(&lenient, "c0"))]).matches("is skipped").count(), COUNT);
}

#[test]
fn skips_component_without_its_fallback_if_errors_are_ignored() {
    let text = [lenient("a", "b"), lenient("b", "nowhere"), echo("c", "")].join("---\n");
    assert_snapshot!(outcome(&[("a.yaml", &text)]), @r#"
    + c conversation.echo
    Warning a.yaml:21:29: component b is skipped (spec.ignoreErrors): fallback: "nowhere" is not a component; expected echo, error or one of: a, b, c
    Warning a.yaml:10:29: component a is skipped (spec.ignoreErrors): fallback: "b" is not a component; expected echo, error or one of: a, c
    "#);
}
