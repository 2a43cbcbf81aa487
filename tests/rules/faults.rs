//! Faults of the calls that a rule answers.

use insta::assert_snapshot;
use serde_json::json;

use super::{ask, errors::check, with_rules};
use crate::support::messages::{prompt, tool};

#[tokio::test]
async fn only_the_calls_of_the_rule_have_its_faults() {
    let sidecar = with_rules(
        "rules:
- match: {user: flaky}
  faults: {fail_first: 2, error: {code: UNAVAILABLE}}
  respond: fine
- {match: {user: stable}, respond: fine}
",
    );
    let failure = "Unavailable: failed conversing with component echo: scripted UNAVAILABLE";
    assert_eq!(ask(&sidecar, "flaky").await, failure);
    assert_eq!(ask(&sidecar, "stable").await, "fine");
    assert_eq!(ask(&sidecar, "flaky again").await, failure);
    assert_eq!(ask(&sidecar, "flaky").await, "fine");
}

#[tokio::test]
async fn arguments_can_be_malformed() {
    let sidecar = with_rules(
        "rules:
- faults: [{every: 2, delay: 1ms}, {malformed_args: 'no JSON'}]
  respond: [{tool_call: [{name: get_weather, args: {city: Paris}}]}]
",
    );
    let asked = || prompt("weather", [tool("get_weather", json!({}))]);
    let answer = sidecar.client().await.converse_alpha2(asked()).await.unwrap().into_inner();
    assert!(format!("{answer:?}").contains("no JSON"), "{answer:?}");
    let answer = sidecar.converse(asked()).await.unwrap();
    assert_eq!(answer.calls[0].arguments, json!({"city": "Paris"}));
}

#[test]
fn errors_in_faults_have_places() {
    let text = "\
rules:
- respond: a
  faults:
  - delay: 1s
  - fail_frist: 2
- respond: b
  faults: {delay: soon}
";
    assert_snapshot!(check(text), @r#"
    rules.yaml:5:5: rule 1: fault 2: unknown key `fail_frist`; expected one of `surfaces`, `fail_first`, `every`, `probability`, `seed`, `delay`, `error`, `trailers_only`, `hang`, `cut_after`, `reset`, `malformed_args`, `empty`
    rules.yaml:7:19: rule 2: faults, delay: "soon" is not a duration; use Go's format, such as 50ms or 1.5s
    0 components, 1 rules file, 2 errors, 0 warnings
    "#);
}
