//! The targets of `fuzz/` on stable Rust: the corpus as it is, then mutants of it, the same in
//! every run. `MYNAH_FUZZ_EXECUTIONS` sets how many mutants each target gets.

mod mutator;
#[path = "../../fuzz/targets/mod.rs"]
mod targets;

use std::{fs, panic, path::Path};

use self::mutator::Mutator;

/// Mutants of each target: about five seconds of all targets together.
const EXECUTIONS: usize = 1_000;

#[expect(clippy::disallowed_methods, reason = "who asks for more mutants does so in a variable")]
fn executions() -> usize {
    let wanted = std::env::var("MYNAH_FUZZ_EXECUTIONS");
    wanted.map_or(EXECUTIONS, |number| number.parse().expect("a number of mutants"))
}

/// The files of a target, by name.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    files.into_iter().map(|file| fs::read(file).unwrap()).collect()
}

fn fuzz(target: &str, run: fn(&[u8]) -> bool) {
    let corpus = corpus(target);
    assert!(corpus.len() >= 20, "{target} has a corpus of {} files", corpus.len());
    let mut mutator = Mutator::of(&corpus);
    let mutants = (0..executions()).map(|_| mutator.next());
    let mut answered = 0;
    for input in corpus.iter().cloned().chain(mutants) {
        answered += usize::from(checked(target, run, &input));
    }
    // Or nothing much was checked.
    assert!(answered > executions() / 20, "{answered} came to an answer");
}

fn checked(target: &str, run: fn(&[u8]) -> bool, input: &[u8]) -> bool {
    panic::catch_unwind(|| run(input)).unwrap_or_else(|panic| {
        let found = crate::support::scratch("fuzz").join(target);
        fs::write(&found, input).unwrap();
        eprintln!("{target} fails on {}: \"{}\"", found.display(), input.escape_ascii());
        panic::resume_unwind(panic)
    })
}

#[test]
fn protobuf() {
    fuzz("protobuf", targets::protobuf::run);
}

#[test]
fn json() {
    fuzz("json", targets::json::run);
}

#[test]
fn yaml() {
    fuzz("yaml", targets::yaml::run);
}

#[test]
fn matching() {
    fuzz("matching", targets::matching::run);
}

#[test]
fn schema() {
    fuzz("schema", targets::schema::run);
}

#[test]
fn scrubber() {
    fuzz("scrubber", targets::scrubber::run);
}

#[test]
fn chain() {
    fuzz("chain", targets::chain::run);
}
