//! Runs the fuzz targets in `fuzz/` on stable Rust, first on the corpus and then on deterministic
//! mutations of it. `MYNAH_FUZZ_EXECUTIONS` sets the number of mutations per target.

mod mutator;
mod sockets;
#[path = "../../fuzz/src/lib.rs"]
mod targets;

use std::{fs, panic, path::Path};

use self::mutator::Mutator;

/// The default number of mutations per target. All targets together take about five seconds.
const EXECUTIONS: usize = 1_000;

#[expect(clippy::disallowed_methods, reason = "the environment sets the number of mutations")]
fn executions() -> usize {
    let count = std::env::var("MYNAH_FUZZ_EXECUTIONS");
    count.map_or(EXECUTIONS, |number| number.parse().expect("MYNAH_FUZZ_EXECUTIONS is a number"))
}

/// Returns the contents of a target's corpus files, sorted by name.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    files.into_iter().map(|file| fs::read(file).unwrap()).collect()
}

fn fuzz(target: &str, run: fn(&[u8]) -> bool) {
    let corpus = corpus(target);
    assert!(corpus.len() >= 20, "the corpus of {target} has only {} files", corpus.len());
    let mut mutator = Mutator::new(&corpus);
    let mutations = (0..executions()).map(|_| mutator.next());
    let mut accepted = 0;
    for input in corpus.iter().cloned().chain(mutations) {
        accepted += usize::from(check(target, run, &input));
    }
    // If most inputs were rejected, the test would prove little.
    assert!(accepted > executions() / 20, "only {accepted} inputs were accepted");
}

/// Runs a target. If the target panics, saves the input.
fn check(target: &str, run: fn(&[u8]) -> bool, input: &[u8]) -> bool {
    panic::catch_unwind(|| run(input)).unwrap_or_else(|panic| {
        let file = crate::support::scratch("fuzz").join(target);
        fs::write(&file, input).unwrap();
        eprintln!("{target} fails on {}: \"{}\"", file.display(), input.escape_ascii());
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

#[test]
fn conditions() {
    fuzz("conditions", targets::conditions::run);
}

#[test]
fn template() {
    fuzz("template", targets::template::run);
}

#[test]
fn rules() {
    fuzz("rules", targets::rules::run);
}
