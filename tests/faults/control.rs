//! Tests of faults that tests set while the sidecar runs.

use serde_json::{Value, json};
use tonic::Code::{Aborted, Ok as Fine, Unavailable};

use super::{codes, faulty};
use crate::support::{
    Sidecar,
    http::{Reply, direct_client},
    messages::prompt,
};

const FAULTS: &str = "/mynah/v1/faults";

async fn put(sidecar: &Sidecar, body: Value) -> Reply {
    sidecar.send(direct_client().put(sidecar.url(FAULTS)).body(body.to_string())).await
}

#[tokio::test]
async fn a_test_sets_the_faults_of_its_session() {
    let sidecar = Sidecar::start();
    let fault = json!({"component": "echo", "session": "a", "fail_first": 1,
        "error": {"code": "UNAVAILABLE"}});
    let request = prompt("hi", []);
    for _ in 0..2 {
        assert_eq!(put(&sidecar, fault.clone()).await.status, 204);
        assert_eq!(codes(&sidecar, "a", &request, 2).await, [Unavailable, Fine]);
        assert_eq!(codes(&sidecar, "b", &request, 1).await, [Fine]);
    }
    assert_eq!(put(&sidecar, json!({"error": {"code": "ABORTED"}})).await.status, 204);
    assert_eq!(codes(&sidecar, "b", &request, 1).await, [Aborted]);
    assert_eq!(put(&sidecar, json!({"faults": []})).await.status, 204);
    assert_eq!(codes(&sidecar, "b", &request, 1).await, [Fine]);
}

#[tokio::test]
async fn lists_the_faults_that_tests_have_set() {
    let sidecar = Sidecar::start();
    let list =
        async |query: &str| sidecar.get(&format!("{FAULTS}{query}")).await.json()["faults"].clone();
    assert_eq!(list("").await, json!([]));
    put(&sidecar, json!({"hang": true, "every": 2, "seed": null})).await;
    let faults = json!([{"reset": true}, {"error": {"code": "ABORTED", "message": "sk-12345678901234567890"}}]);
    put(&sidecar, json!({"component": "echo", "session": "a", "faults": faults})).await;
    let all = json!({"faults": [{"hang": true, "every": 2}]});
    let redacted =
        json!([{"reset": true}, {"error": {"code": "ABORTED", "message": "[redacted]"}}]);
    let of_a = json!({"component": "echo", "session": "a", "faults": redacted});
    assert_eq!(list("").await, json!([all, of_a]));
    assert_eq!(list("?session=a").await, json!([of_a]));
    put(&sidecar, json!({"component": "echo", "session": "a", "faults": []})).await;
    assert_eq!(list("").await, json!([all]));
}

#[tokio::test]
async fn faults_are_removed() {
    let sidecar = faulty(json!({"fail_first": 1, "error": {"code": "UNAVAILABLE"}}));
    let request = prompt("hi", []);
    for path in [format!("{FAULTS}?session=a"), "/mynah/v1/reset?session=a".to_owned()] {
        let fault = json!({"session": "a", "error": {"code": "ABORTED"}});
        assert_eq!(put(&sidecar, fault).await.status, 204);
        assert_eq!(codes(&sidecar, "a", &request, 1).await, [Aborted]);
        let client = direct_client();
        let url = sidecar.url(&path);
        let remove = if path.starts_with(FAULTS) { client.delete(url) } else { client.post(url) };
        assert_eq!(sidecar.send(remove).await.status, 204);
        // The faults in the metadata remain, and a reset lets them count again.
        assert_eq!(codes(&sidecar, "a", &request, 2).await, [Unavailable, Fine]);
    }
}

#[tokio::test]
async fn invalid_faults_are_rejected() {
    let sidecar = Sidecar::start();
    for (body, expected) in [
        (json!({"hang": 1}), "hang: must be true or false, not 1"),
        (
            json!({"component": "ecko", "hang": true}),
            "unknown component \"ecko\"; expected one of: echo",
        ),
        (
            json!({"error": {"code": "ABORTED"}, "trailers_only": true}),
            "trailers_only: cannot be expressed on http and openai; set surfaces to [\"grpc\"], [\"component\"] or both",
        ),
    ] {
        let reply = put(&sidecar, body).await;
        assert_eq!((reply.status, reply.json()), (400, json!({"error": expected})));
    }
}
