//! Requests of the control API that would take too much work or memory.

use serde_json::{Value, json};

use crate::support::{
    Sidecar,
    messages::{request, user},
};

const VERIFY: &str = "/mynah/v1/verify";

async fn verify(sidecar: &Sidecar, body: Value) -> (u16, String) {
    let reply = sidecar.post(VERIFY, body.to_string()).await;
    let error = reply.json()["error"].as_str().unwrap_or_default().to_owned();
    (reply.status, error)
}

fn patterns(count: usize, pattern: impl Fn(usize) -> String) -> Value {
    let condition = |number| json!({"matches": pattern(number)});
    json!({"match": {"any_message": (0..count).map(condition).collect::<Vec<_>>()}})
}

#[tokio::test]
async fn patterns_are_limited_in_number_and_size() {
    let sidecar = Sidecar::start();
    let cases = [
        (
            patterns(20_000, |number| format!("a{number}")),
            "too many patterns; expected at most 200",
        ),
        (patterns(1, |_| r"\w{999}".to_owned()), "it is too large; expected at most 1048576 bytes"),
        (patterns(150, |_| r"\w{20}".to_owned()), "the patterns together are too large"),
        (patterns(1, |_| "(".repeat(100_000)), "is invalid"),
    ];
    for (body, expected) in cases {
        let (status, error) = verify(&sidecar, body).await;
        assert_eq!(status, 400, "{error}");
        assert!(error.contains(expected) && error.len() < 4_096, "{error}");
    }
    sidecar.converse(request([user("hello")])).await.unwrap();
    let (status, error) = verify(&sidecar, patterns(100, |_| "^h".to_owned())).await;
    assert_eq!(status, 200, "{error}");
}

#[tokio::test]
async fn conditions_are_limited_in_number() {
    let sidecar = Sidecar::start();
    let parts = vec!["a"; 10_000];
    let (status, error) = verify(&sidecar, json!({"match": {"any_message": parts}})).await;
    assert_eq!(status, 400);
    assert!(error.contains("too many expectations and conditions"), "{error}");
}

#[tokio::test]
async fn a_check_that_takes_too_much_work_stops() {
    let sidecar = Sidecar::start();
    let text = "a ".repeat(500_000);
    for _ in 0..3 {
        sidecar.converse(request([user(&text)])).await.unwrap();
    }
    // Fast to search, because the text does not have the beginning. The work is counted without this.
    let expect: Vec<_> = (0..10)
        .map(|number| json!({"match": {"user": {"matches": format!(r"z{number}z\w{{20}}")}}}))
        .collect();
    let (status, error) = verify(&sidecar, json!({"expect": expect})).await;
    assert_eq!(status, 422, "{error}");
    assert!(error.contains("takes too much work; select fewer calls"), "{error}");
    let one = json!({"expect": &expect[..1], "since": 2});
    assert_eq!(verify(&sidecar, one).await.0, 409);
}

#[tokio::test]
async fn parsed_bodies_are_charged() {
    let sidecar = Sidecar::start_with(&["--max-memory=32Mi"]);
    let numbers = vec![1; 500_000];
    for path in [VERIFY, "/mynah/v1/explain"] {
        let reply = sidecar.post(path, json!({"request": {"a": numbers}}).to_string()).await;
        assert_eq!(reply.status, 503, "{path}: {}", reply.body);
        assert!(reply.body.contains("the memory limit"), "{}", reply.body);
    }
}

#[tokio::test]
async fn errors_quote_the_beginning_of_a_long_key() {
    let sidecar = Sidecar::start();
    let key = "k".repeat(1_000_000);
    let unknown = json!({(&*key): 1});
    let nested = json!({"match": {"metadata": {(&*key): []}}});
    for body in [unknown, nested] {
        let (status, error) = verify(&sidecar, body).await;
        assert_eq!(status, 400);
        assert!(error.contains("kkk") && error.len() < 4_096, "{} bytes", error.len());
    }
    sidecar.converse(request([user("hello")])).await.unwrap();
    let body = json!({"match": {"metadata": {(&*key): "a"}}});
    let reply = sidecar.post(VERIFY, body.to_string()).await;
    assert_eq!(reply.status, 409);
    assert!(reply.body.len() < 4_096, "{} bytes", reply.body.len());
}
