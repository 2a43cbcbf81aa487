//! The same request gives the same bytes, however many ran before or run at the same time.

use futures_util::{StreamExt, stream};
use prost::Message;

use super::{Caller, echo};
use crate::support::messages::{request, user};

#[tokio::test]
async fn the_same_requests_in_parallel_give_the_same_bytes() {
    let sidecar = echo();
    let client = sidecar.client().await;
    let prompts = ["find order 1001", "find order 9001", "find order 9001 and count orders"];
    let mixed = Caller::new(user("Find order 9001, and send mail to ann.")).request();
    let requests: Vec<_> =
        prompts.into_iter().map(|text| request([user(text)])).chain([mixed]).collect();
    let mut expected = Vec::new();
    for request in &requests {
        let answer = client.clone().converse_alpha2(request.clone()).await.unwrap();
        expected.push(answer.into_inner().encode_to_vec());
    }
    let calls = (0..1_000).map(|at| {
        let (mut client, at) = (client.clone(), at % requests.len());
        let request = requests[at].clone();
        async move { (at, client.converse_alpha2(request).await.unwrap().into_inner()) }
    });
    let mut answers = stream::iter(calls).buffer_unordered(64);
    while let Some((at, answer)) = answers.next().await {
        assert_eq!(answer.encode_to_vec(), expected[at]);
    }
}
