//! The same request gives the same bytes: twice in one process, and in another one, on every
//! surface.

mod requests;

use std::{fmt::Debug, net::SocketAddr};

use futures_util::future;
use mynah::wire::{
    json,
    proto::{ConversationRequest, ConversationRequestAlpha2, dapr_client::DaprClient},
};
use prost::Message;
use tonic::{Status, Streaming, transport::Channel};

use self::requests::Generator;
use crate::support::Sidecar;

/// Requests to each surface.
const REQUESTS: usize = 200;

/// What came back, byte for byte. A stream is its messages, one after the other.
type Bytes = Vec<Vec<u8>>;

/// The answers of all surfaces to one pair of requests, by surface.
type Answers = [(&'static str, Bytes); 8];

/// One request of each kind, and what they are over HTTP.
#[derive(Debug)]
struct Asked {
    alpha1: ConversationRequest,
    alpha2: ConversationRequestAlpha2,
    bodies: [String; 2],
}

impl Asked {
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
    async fn of(sidecar: &Sidecar) -> Self {
        let http = reqwest::Client::new();
        Self { grpc: sidecar.client().await, http, address: sidecar.http }
    }

    async fn answers(&self, asked: &Asked) -> Answers {
        let (grpc, http) = future::join(self.over_grpc(asked), self.over_http(asked)).await;
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
    async fn over_grpc(&self, asked: &Asked) -> (Bytes, Bytes, Bytes, Bytes) {
        let [mut one, mut two, mut three, mut four] = [(); 4].map(|()| self.grpc.clone());
        let (alpha1, alpha2) = (&asked.alpha1, &asked.alpha2);
        future::join4(
            async { unary(one.converse_alpha1(alpha1.clone()).await) },
            async { unary(two.converse_alpha2(alpha2.clone()).await) },
            async { streamed(three.converse_stream_alpha1(alpha1.clone()).await).await },
            async { streamed(four.converse_stream_alpha2(alpha2.clone()).await).await },
        )
        .await
    }

    async fn over_http(&self, asked: &Asked) -> (Bytes, Bytes, Bytes, Bytes) {
        let names = [&asked.alpha1.name, &asked.alpha2.name];
        let post = |index: usize, accept: &'static str| {
            let path = format!("v1.0-alpha{}/conversation/{}/converse", index + 1, names[index]);
            let post = self.http.post(format!("http://{}/{path}", self.address));
            whole(post.header("accept", accept).body(asked.bodies[index].clone()))
        };
        let (json, events) = ("application/json", "text/event-stream");
        future::join4(post(0, json), post(1, json), post(0, events), post(1, events)).await
    }
}

fn unary<M: Message>(answer: Result<tonic::Response<M>, Status>) -> Bytes {
    vec![answer.map_or_else(|status| refused(&status), |answer| answer.get_ref().encode_to_vec())]
}

async fn streamed<M: Message>(answer: Result<tonic::Response<Streaming<M>>, Status>) -> Bytes {
    let mut messages = match answer {
        Ok(answer) => answer.into_inner(),
        Err(status) => return vec![refused(&status)],
    };
    let mut bytes = Bytes::new();
    while let Some(message) = messages.message().await.expect("a stream that begins, ends well") {
        bytes.push(message.encode_to_vec());
    }
    bytes
}

fn refused(status: &Status) -> Vec<u8> {
    let mut bytes = format!("{:?}: {}\n", status.code(), status.message()).into_bytes();
    bytes.extend(status.details());
    bytes
}

/// The status and the body, without the date.
async fn whole(asked: reqwest::RequestBuilder) -> Bytes {
    let answer = asked.send().await.unwrap();
    let status = answer.status().to_string().into_bytes();
    vec![status, answer.bytes().await.unwrap().to_vec()]
}

fn same<T: PartialEq + Debug>(what: &str, asked: &impl Debug, first: &T, second: &T) {
    assert!(first == second, "{what}\n{asked:?}\n{first:?}\n{second:?}");
}

#[tokio::test]
async fn the_same_request_gives_the_same_bytes() {
    let (one, two) = (Sidecar::start(), Sidecar::start());
    let (one, two) = (Clients::of(&one).await, Clients::of(&two).await);
    let mut generator = Generator::default();
    let (mut answered, mut called) = (0, 0);
    for number in 0..REQUESTS {
        let asked = Asked::next(&mut generator);
        let first = one.answers(&asked).await;
        let (again, elsewhere) = future::join(one.answers(&asked), two.answers(&asked)).await;
        for (((surface, first), (_, again)), (_, elsewhere)) in
            first.iter().zip(&again).zip(&elsewhere)
        {
            same(&format!("{number}, {surface}, again"), &asked, first, again);
            same(&format!("{number}, {surface}, elsewhere"), &asked, first, elsewhere);
        }
        let body = String::from_utf8_lossy(&first[5].1[1]).into_owned();
        answered += usize::from(first[5].1[0] == b"200 OK");
        called += usize::from(body.contains(r#""finishReason":"tool_calls""#));
    }
    // Or nothing much was compared.
    assert!(answered > REQUESTS * 3 / 4, "{answered} of {REQUESTS} were answered");
    assert!(called > REQUESTS / 10, "{called} of {REQUESTS} called tools");
}

#[test]
fn the_generator_gives_the_same_requests_every_time_and_no_two_alike() {
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
