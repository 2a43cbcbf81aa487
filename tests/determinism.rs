//! Tests that on every surface, a repeated request gets the same bytes, also from another process.

pub mod requests;

use std::{fmt::Debug, net::SocketAddr};

use futures_util::future;
use mynah::internals::wire::{
    json,
    proto::{ConversationRequest, ConversationRequestAlpha2, dapr_client::DaprClient},
};
use prost::Message;
use tonic::{Status, Streaming, transport::Channel};

use self::requests::Generator;
use crate::support::{Sidecar, http::direct_client};

/// The number of requests to each surface.
const REQUESTS: usize = 200;

/// The bytes of an answer. A stream has one item per message.
type Bytes = Vec<Vec<u8>>;

/// The answers to one pair of requests, each with the name of the surface.
type Answers = [(&'static str, Bytes); 8];

/// An Alpha1 and an Alpha2 request, and their bodies over HTTP.
#[derive(Debug)]
struct Requests {
    alpha1: ConversationRequest,
    alpha2: ConversationRequestAlpha2,
    bodies: [String; 2],
}

impl Requests {
    fn next(generator: &mut Generator) -> Self {
        let (alpha1, alpha2) = (generator.alpha1(), generator.alpha2());
        let bodies = [json::write(&alpha1).unwrap(), json::write(&alpha2).unwrap()];
        Self { alpha1, alpha2, bodies }
    }
}

/// The clients of one process.
struct Clients {
    grpc: DaprClient<Channel>,
    http: reqwest::Client,
    address: SocketAddr,
}

impl Clients {
    async fn connect(sidecar: &Sidecar) -> Self {
        let http = direct_client();
        Self { grpc: sidecar.client().await, http, address: sidecar.http }
    }

    async fn answers(&self, requests: &Requests) -> Answers {
        let (grpc, http) = future::join(self.over_grpc(requests), self.over_http(requests)).await;
        [
            ("ConverseAlpha1", grpc.0),
            ("ConverseAlpha2", grpc.1),
            ("ConverseStreamAlpha1", grpc.2),
            ("ConverseStreamAlpha2", grpc.3),
            ("HTTP alpha1", http.0),
            ("HTTP alpha2", http.1),
            ("events alpha1", http.2),
            ("events alpha2", http.3),
        ]
    }

    #[expect(deprecated, reason = "Alpha1 is old, and served")]
    async fn over_grpc(&self, requests: &Requests) -> (Bytes, Bytes, Bytes, Bytes) {
        let [mut one, mut two, mut three, mut four] = [(); 4].map(|()| self.grpc.clone());
        let (alpha1, alpha2) = (&requests.alpha1, &requests.alpha2);
        future::join4(
            async { unary(one.converse_alpha1(alpha1.clone()).await) },
            async { unary(two.converse_alpha2(alpha2.clone()).await) },
            async { streamed(three.converse_stream_alpha1(alpha1.clone()).await).await },
            async { streamed(four.converse_stream_alpha2(alpha2.clone()).await).await },
        )
        .await
    }

    async fn over_http(&self, requests: &Requests) -> (Bytes, Bytes, Bytes, Bytes) {
        let names = [&requests.alpha1.name, &requests.alpha2.name];
        let post = |index: usize, accept: &'static str| {
            let path = format!("v1.0-alpha{}/conversation/{}/converse", index + 1, names[index]);
            let post = self.http.post(format!("http://{}/{path}", self.address));
            http(post.header("accept", accept).body(requests.bodies[index].clone()))
        };
        let (json, events) = ("application/json", "text/event-stream");
        future::join4(post(0, json), post(1, json), post(0, events), post(1, events)).await
    }
}

/// Returns the bytes of a unary answer.
fn unary<M: Message>(answer: Result<tonic::Response<M>, Status>) -> Bytes {
    match answer {
        Ok(answer) => vec![answer.get_ref().encode_to_vec()],
        Err(status) => vec![error_bytes(&status)],
    }
}

/// Returns the bytes of a streamed answer.
async fn streamed<M: Message>(answer: Result<tonic::Response<Streaming<M>>, Status>) -> Bytes {
    let mut messages = match answer {
        Ok(answer) => answer.into_inner(),
        Err(status) => return vec![error_bytes(&status)],
    };
    let mut bytes = Bytes::new();
    while let Some(message) = messages.message().await.expect("a stream without an error") {
        bytes.push(message.encode_to_vec());
    }
    bytes
}

/// Returns the bytes of a failed call.
fn error_bytes(status: &Status) -> Vec<u8> {
    let mut bytes = format!("{:?}: {}\n", status.code(), status.message()).into_bytes();
    bytes.extend(status.details());
    bytes
}

/// Returns the status and the body of an HTTP response.
async fn http(request: reqwest::RequestBuilder) -> Bytes {
    let answer = request.send().await.unwrap();
    let status = answer.status().to_string().into_bytes();
    vec![status, answer.bytes().await.unwrap().to_vec()]
}

fn assert_same<T: PartialEq + Debug>(what: &str, requests: &impl Debug, first: &T, second: &T) {
    assert!(first == second, "{what}\n{requests:?}\n{first:?}\n{second:?}");
}

#[tokio::test]
async fn the_same_request_gives_the_same_bytes() {
    let sidecars = (Sidecar::start(), Sidecar::start());
    let (one, two) = (Clients::connect(&sidecars.0).await, Clients::connect(&sidecars.1).await);
    let mut generator = Generator::default();
    let (mut answered, mut called) = (0, 0);
    for number in 0..REQUESTS {
        let requests = Requests::next(&mut generator);
        let first = one.answers(&requests).await;
        let (repeated, other) = future::join(one.answers(&requests), two.answers(&requests)).await;
        for (((surface, first), (_, repeated)), (_, other)) in
            first.iter().zip(&repeated).zip(&other)
        {
            assert_same(&format!("{number}, {surface}, repeated"), &requests, first, repeated);
            assert_same(&format!("{number}, {surface}, other process"), &requests, first, other);
        }
        let body = String::from_utf8_lossy(&first[5].1[1]).into_owned();
        answered += usize::from(first[5].1[0] == b"200 OK");
        called += usize::from(body.contains(r#""finishReason":"tool_calls""#));
    }
    // If most requests failed, the test would prove little.
    assert!(answered > REQUESTS * 3 / 4, "{answered} of {REQUESTS} were answered");
    assert!(called > REQUESTS / 10, "{called} of {REQUESTS} called tools");
}

#[test]
fn the_generator_gives_the_same_distinct_requests_every_time() {
    let requests = || {
        let mut generator = Generator::default();
        (0..REQUESTS).map(|_| generator.alpha2().encode_to_vec()).collect::<Vec<_>>()
    };
    let (first, second) = (requests(), requests());
    assert_eq!(first, second);
    let mut distinct = first;
    distinct.sort();
    distinct.dedup();
    assert!(distinct.len() > REQUESTS * 19 / 20, "{} are distinct", distinct.len());
}
