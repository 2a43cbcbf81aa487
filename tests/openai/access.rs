//! The API token in the forms of OpenAI's clients, and pages of other sites.

use super::{COMPLETIONS, asking};
use crate::support::{Sidecar, http::direct_client};

async fn status(sidecar: &Sidecar, headers: &[(&str, &str)]) -> u16 {
    let mut request = direct_client().post(sidecar.url(COMPLETIONS)).body(asking("hi").to_string());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    sidecar.send(request).await.status
}

#[tokio::test]
async fn the_token_may_be_the_key() {
    let sidecar = Sidecar::start_in(&[("DAPR_API_TOKEN", "secret")], &[]);
    let cases = [
        (("authorization", "Bearer secret"), 200),
        (("authorization", "bearer secret"), 200),
        (("api-key", "secret"), 200),
        (("dapr-api-token", "secret"), 200),
        (("authorization", "Bearer other"), 401),
        (("authorization", "Basic secret"), 401),
        (("api-key", "other"), 401),
        (("x", "y"), 401),
    ];
    for (header, expected) in cases {
        assert_eq!(status(&sidecar, &[header]).await, expected, "{header:?}");
    }
    let reply = sidecar.get("/v1/models").await;
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (401, &"invalid_api_key".into()));
}

#[tokio::test]
async fn without_a_token_any_key_is_accepted() {
    let sidecar = Sidecar::start();
    assert_eq!(status(&sidecar, &[("authorization", "Bearer sk-anything")]).await, 200);
}

#[tokio::test]
async fn pages_of_other_sites_are_rejected() {
    let sidecar = Sidecar::start();
    assert_eq!(status(&sidecar, &[("origin", "https://example.com")]).await, 403);
    assert_eq!(status(&sidecar, &[("sec-fetch-site", "cross-site")]).await, 403);
}
