//! `mode: daprd` is daprd: the same calls, and the same starts, of mynah and of daprd 1.18.0, with
//! the same answers.
//!
//! What daprd answered is written down in `cases`. mynah must answer the same, except where
//! [`differences`] says otherwise; daprd itself, built from source, must answer it to the letter,
//! so that what is written down stays true. Left out are service invocation, configurations of
//! daprd, and its other components.

mod case;
pub(crate) mod differences;
mod grpc;
mod http;
mod start;
pub(crate) mod target;

use std::{collections::BTreeSet, fmt::Write};

use serde_json::Value;

use self::{
    case::{Action, Case},
    target::{Program, Setup},
};
use crate::interop::toolchain;

/// Cases that are answered in order by one process.
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

const fn group(cases: &'static str) -> Group {
    Group { cases, token: None }
}

#[tokio::test]
async fn mynah_answers_as_daprd_does() {
    let mut wrong = String::new();
    for group in &GROUPS {
        wrong += &mismatches(&Program::Mynah, group, differences::mynah).await;
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn daprd_answers_as_it_did() {
    toolchain::suite("daprd", || {
        let program = Program::Daprd(toolchain::daprd()?);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let as_it_is = |case: &Case| case.golden.clone();
        let mut wrong = String::new();
        for group in &GROUPS {
            wrong += &runtime.block_on(mismatches(&program, group, as_it_is));
        }
        assert!(wrong.is_empty(), "{wrong}");
        Ok(())
    });
}

#[test]
fn no_difference_is_without_effect() {
    let cases: Vec<_> = GROUPS.iter().flat_map(|group| case::read(group.cases)).collect();
    let names: BTreeSet<_> = cases.iter().map(|case| &case.name).collect();
    assert_eq!(names.len(), cases.len(), "names are unique");
    differences::check(&cases);
}

/// What the program answers otherwise than expected, in words.
async fn mismatches(program: &Program, group: &Group, expected: impl Fn(&Case) -> Value) -> String {
    let setup =
        Setup { resources: vec![program.components()], token: group.token, ..Setup::default() };
    let target = program.start(&setup).await.unwrap();
    let mut wrong = String::new();
    for case in case::read(group.cases) {
        let expected = expected(&case);
        let with_headers = case.golden.get("headers").is_some();
        let answer = match &case.action {
            Action::Http(call) => http::call(&target, call, with_headers).await,
            Action::Grpc(call) => grpc::call(&target, call, with_headers).await,
            Action::Start { start } => start::start(program, start, &expected).await,
        };
        let (answer, expected) = (case::stable(answer), case::stable(expected));
        if answer != expected {
            let _ = write!(wrong, "\n{}\n  expected {expected}\n  answered {answer}", case.name);
        }
    }
    wrong
}
