//! Tests of which calls a fault applies to.

use mynah::internals::wire::json;
use serde_json::json;
use tonic::Code::{self, Aborted, Ok as Fine, Unavailable};

use super::{ALPHA2, codes, converse_in, faulty};
use crate::support::{messages::prompt, stream};

#[tokio::test]
async fn the_first_calls_of_each_session_fail() {
    let sidecar = faulty(json!({"fail_first": 2, "error": {"code": "UNAVAILABLE"}}));
    let request = prompt("hi", []);
    for session in ["a", "b"] {
        let codes = codes(&sidecar, session, &request, 4).await;
        assert_eq!(codes, [Unavailable, Unavailable, Fine, Fine], "{session}");
    }
    // Without a name, the session is `default`, on all surfaces.
    assert_eq!(stream(&sidecar, request.clone()).await.unwrap_err().code(), Unavailable);
    assert_eq!(sidecar.post(ALPHA2, json::write(&request).unwrap()).await.status, 503);
    assert_eq!(stream(&sidecar, request).await.unwrap().answer.content, "hi");
}

#[tokio::test]
async fn every_nth_call_fails() {
    let sidecar = faulty(json!({"every": 3, "error": {"code": "ABORTED"}}));
    let codes = codes(&sidecar, "s", &prompt("hi", []), 7).await;
    assert_eq!(codes, [Fine, Fine, Aborted, Fine, Fine, Aborted, Fine]);
}

#[tokio::test]
async fn faults_in_a_list_follow_each_other() {
    let sidecar = faulty(json!([
        {"fail_first": 1, "error": {"code": "UNAVAILABLE"}},
        {"fail_first": 2, "error": {"code": "ABORTED"}},
    ]));
    let codes = codes(&sidecar, "s", &prompt("hi", []), 4).await;
    assert_eq!(codes, [Unavailable, Aborted, Aborted, Fine]);
}

#[tokio::test]
async fn a_probability_depends_on_seed_session_request_and_attempt_only() {
    let fault =
        |seed: u64| json!({"probability": 0.5, "seed": seed, "error": {"code": "UNAVAILABLE"}});
    let sidecars = [faulty(fault(1)), faulty(fault(1)), faulty(fault(2))];
    let mut outcomes = [const { Vec::new() }; 3];
    for (outcomes, sidecar) in outcomes.iter_mut().zip(&sidecars) {
        for number in 0..40 {
            let (session, request) = (format!("s{}", number % 5), prompt(&format!("{number}"), []));
            outcomes.push(codes(sidecar, &session, &request, 4).await);
        }
    }
    let [one, same, other] = &outcomes;
    assert_eq!(one, same);
    assert_ne!(one, other);
    for attempt in 0..4 {
        let failures = one.iter().filter(|codes| codes[attempt] == Unavailable).count();
        assert!((8..=32).contains(&failures), "{failures}");
    }
    let recovered = one.iter().filter(|codes| codes[0] == Unavailable && codes.contains(&Fine));
    assert!(recovered.count() >= 8, "a retry can succeed: {one:?}");
    for (probability, expected) in [(0.0, Fine), (1.0, Unavailable)] {
        let fault = json!({"probability": probability, "error": {"code": "UNAVAILABLE"}});
        let outcomes: Vec<Code> = codes(&faulty(fault), "s", &prompt("hi", []), 3).await;
        assert_eq!(outcomes, [expected; 3]);
    }
}

/// Other requests and other sessions do not count as attempts.
#[tokio::test]
async fn attempts_are_counted_for_each_request() {
    let fault = || json!({"probability": 0.5, "error": {"code": "UNAVAILABLE"}});
    let (in_turn, mixed) = (faulty(fault()), faulty(fault()));
    let requests = || (0..10).map(|number| prompt(&format!("{number}"), []));
    let mut expected = Vec::new();
    for request in requests() {
        expected.push(codes(&in_turn, "s", &request, 3).await);
    }
    let mut seen = vec![Vec::new(); 10];
    for _ in 0..3 {
        for (seen, request) in seen.iter_mut().zip(requests()) {
            codes(&mixed, "other", &request, 1).await;
            seen.extend(codes(&mixed, "s", &request, 1).await);
        }
    }
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn the_faults_of_a_list_are_drawn_independently() {
    let fault = |code: &str| json!({"probability": 0.5, "error": {"code": code}});
    let faults = || faulty(json!([fault("UNAVAILABLE"), fault("ABORTED")]));
    let outcomes = async |sidecar| {
        let mut outcomes = Vec::new();
        for number in 0..40 {
            outcomes.extend(codes(&sidecar, "s", &prompt(&format!("{number}"), []), 1).await);
        }
        outcomes
    };
    let seen = outcomes(faults()).await;
    let count = |code: Code| seen.iter().filter(|it| **it == code).count();
    // A half, a quarter and a quarter of the calls are expected.
    assert!((10..=30).contains(&count(Unavailable)), "{seen:?}");
    assert!(count(Aborted) >= 4 && count(Fine) >= 4, "{seen:?}");
    assert_eq!(outcomes(faults()).await, seen, "the draws do not change");
}

#[tokio::test]
async fn parallel_sessions_do_not_see_each_other() {
    let sidecar = faulty(json!({"fail_first": 1, "error": {"code": "UNAVAILABLE"}}));
    let session = async |number: usize| {
        let request = prompt("hi", []);
        let name = format!("session-{number}");
        let first = converse_in(&sidecar, &name, request.clone()).await;
        (first.unwrap_err().code(), converse_in(&sidecar, &name, request).await.is_ok())
    };
    let outcomes = futures_util::future::join_all((0..100).map(session)).await;
    assert_eq!(outcomes, vec![(Unavailable, true); 100]);
}
