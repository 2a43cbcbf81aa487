//! Tests with hostile documents.

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;

#[test]
fn rejects_hostile_documents() {
    let bomb: String = (1..20).fold("a0: &a0 [x]\n".to_owned(), |text, n| {
        let aliases = vec![format!("*a{}", n - 1); 9].join(", ");
        format!("{text}a{n}: &a{n} [{aliases}]\n")
    });
    let long = format!("a: &a {}\nb: [{}]", "x".repeat(1 << 20), "*a,".repeat(1 << 10));
    let nested = format!("a: {}{}", "[".repeat(100), "]".repeat(100));
    let texts = [
        &bomb,
        &long,
        &nested,
        "a: &a [*a]",
        "a: *missing",
        "[a]: b",
        "<<: x",
        "a: 1\n...\nb: 2",
        "%YAML 1.2",
    ];
    let outcomes = texts.map(|text| outcome(&[("a.yaml", text)]));
    assert_snapshot!(outcomes.join("\n"), @r#"
    ! a.yaml:7:15: more than 500000 values in one document (aliases expanded)
    ! a.yaml:2:47: more than 16 MiB of text in one document (aliases expanded)
    ! a.yaml:1:68: nested deeper than 64 levels
    ! a.yaml:1:8: nested deeper than 64 levels
    ! a.yaml:1:4: not valid YAML: while parsing node, found unknown anchor
    ! a.yaml:1:1: a key must be a scalar, not a list or a mapping
    ! a.yaml:1:5: the value of << must be a mapping or a list of mappings
    ! a.yaml:3:1: another document must begin with a line `---`
    ! a.yaml:1:10: not valid YAML: did not find expected <document start>
    "#);
}

#[test]
fn rejects_files_that_are_not_text() {
    let large = vec![b'#'; (4 << 20) + 1];
    let folder = folder(&[("a.yaml", b"a: 1\nb: \xff"), ("b.yaml", &large), ("c.yaml", b"a: \0")]);
    let loaded = load(&[folder.path().to_owned()], &context());
    let errors: Vec<_> = loaded.errors.iter().map(ToString::to_string).collect();
    let errors = errors.join("\n").replace(&format!("{}/", folder.path().display()), "");
    assert_snapshot!(errors, @r#"
    a.yaml:2:4: not valid UTF-8
    b.yaml: cannot be read: larger than 4 MiB
    c.yaml:1:4: not valid YAML: unexpected character: `\u{0}'
    "#);
}

#[test]
fn loads_a_large_document() {
    let text =
        echo("e", &format!("  - name: model\n    value: |\n{}", "      line\n".repeat(90_000)));
    assert_snapshot!(outcome(&[("a.yaml", &text)]), @"+ e conversation.echo");
}

proptest! {
    #[test]
    fn does_not_panic_on_any_bytes(bytes: Vec<u8>) {
        load(&[folder(&[("a.yaml", &bytes)]).path().to_owned()], &context());
    }

    #[test]
    fn does_not_panic_on_any_metadata_value(text in "[-\\[\\]{}:,&*!|>'\"%@`#a-c0-9.~<?= \n]{0,60}") {
        let text = format!("{}  - name: model\n    value: {text}", echo("e", ""));
        load(&[folder(&[("a.yaml", text.as_bytes())]).path().to_owned()], &context());
    }
}
