//! Compares `mode: daprd` with daprd 1.18.0: the same calls and startups must have the same
//! answers.
//!
//! `cases` has the answers recorded from daprd. mynah must give the same answers, except for the
//! [`differences`]. A daprd built from source must give exactly the recorded answers. Service
//! invocation, configurations and daprd's other components are not compared.

mod case;
pub(crate) mod differences;
mod grpc;
mod http;
mod start;
pub(crate) mod target;

use std::{collections::BTreeSet, fmt::Write};

use mynah_needs::needs;
use serde_json::Value;
use tokio::runtime::Runtime;

use self::{
    case::{Action, Case},
    target::{Program, Setup, Target},
};
use crate::interop::{daprd_adaptor::Sockets, toolchain};

/// Cases that one process answers, in order.
struct Group {
    cases: &'static str,
    token: Option<&'static str>,
}

const GROUPS: [Group; 8] = [
    group(include_str!("cases/conversation.json")),
    group(include_str!("cases/http.json")),
    group(include_str!("cases/grpc.json")),
    group(include_str!("cases/limits.json")),
    group(include_str!("cases/metadata.json")),
    group(include_str!("cases/start.json")),
    group(include_str!("cases/scrub.json")),
    Group { token: Some("right"), ..group(include_str!("cases/token.json")) },
];

/// The cases whose answers come from the component.
const COMPONENT_CASES: [&str; 2] =
    [include_str!("cases/conversation.json"), include_str!("cases/scrub.json")];

const fn group(cases: &'static str) -> Group {
    Group { cases, token: None }
}

#[tokio::test]
async fn mynah_gives_the_recorded_answers_except_for_the_differences() {
    let mut failures = String::new();
    for group in &GROUPS {
        failures += &mismatches(&Program::Mynah, group, differences::mynah).await;
    }
    assert!(failures.is_empty(), "{failures}");
}

#[needs("daprd")]
#[test]
fn daprd_gives_the_recorded_answers() {
    toolchain::suite("daprd", || {
        let program = Program::Daprd(toolchain::daprd()?);
        let runtime = Runtime::new().unwrap();
        let mut failures = String::new();
        for group in &GROUPS {
            failures += &runtime.block_on(mismatches(&program, group, recorded));
        }
        assert!(failures.is_empty(), "{failures}");
        Ok(())
    });
}

/// mynah instead of daprd's own echo component, as a pluggable component.
#[needs("daprd")]
#[test]
fn daprd_gives_the_recorded_answers_with_mynah_as_its_component() {
    toolchain::suite("daprd", || {
        let sockets = Sockets::new("mynah");
        let _mynah = sockets.serve();
        let program = Program::Daprd(toolchain::daprd_with_adaptor()?);
        let mode = [("mode", "daprd")];
        let failures = Runtime::new().unwrap().block_on(async {
            let components = [("echo", mode.as_slice()), ("we-ird+x", &mode)];
            let target = sockets.start(&program, &components).await.expect("daprd starts");
            let mut failures = String::new();
            for cases in COMPONENT_CASES {
                failures += &mismatches_of(&target, &program, &group(cases), recorded).await;
            }
            failures
        });
        assert!(failures.is_empty(), "{failures}");
        Ok(())
    });
}

#[test]
fn every_difference_changes_an_answer() {
    let cases: Vec<_> = GROUPS.iter().flat_map(|group| case::read(group.cases)).collect();
    let names: BTreeSet<_> = cases.iter().map(|case| &case.name).collect();
    assert_eq!(names.len(), cases.len(), "duplicate case name");
    differences::check(&cases);
}

fn recorded(case: &Case) -> Value {
    case.golden.clone()
}

/// Returns a description of all unexpected answers.
async fn mismatches(program: &Program, group: &Group, expected: impl Fn(&Case) -> Value) -> String {
    let setup =
        Setup { resources: vec![program.components()], token: group.token, ..Setup::default() };
    let target = program.start(&setup).await.unwrap();
    mismatches_of(&target, program, group, expected).await
}

/// Returns a description of all unexpected answers of a running program.
async fn mismatches_of(
    target: &Target,
    program: &Program,
    group: &Group,
    expected: impl Fn(&Case) -> Value,
) -> String {
    let mut failures = String::new();
    for case in case::read(group.cases) {
        let expected = expected(&case);
        let with_headers = case.golden.get("headers").is_some();
        let answer = match &case.action {
            Action::Http(call) => http::call(target, call, with_headers).await,
            Action::Grpc(call) => grpc::call(target, call, with_headers).await,
            Action::Start { start } => start::start(program, start, &expected).await,
        };
        let (answer, expected) = (case::stable(answer), case::stable(expected));
        if answer != expected {
            let _ = write!(failures, "\n{}\n  expected {expected}\n  answered {answer}", case.name);
        }
    }
    failures
}
