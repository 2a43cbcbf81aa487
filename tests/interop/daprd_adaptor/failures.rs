//! Tests of restarts, deadlines and cancellation.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use mynah::internals::wire::proto::{ConversationRequestAlpha2, dapr_client::DaprClient};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tonic::{Code, Request};

use super::{Component, converse, prompt, with_daprd};
use crate::{
    chains::chain,
    interop::toolchain,
    parity::target::Program,
    support::{
        http::direct_client,
        messages::request,
        process::{wait_until, with_timeout},
    },
};

const ASSISTANT: Component<'_> = ("assistant", &[("provider", "echo"), ("model", "m")]);
/// The number of clients that call at the same time.
const CLIENTS: usize = 8;

/// Clients that call daprd all the time.
#[derive(Default)]
struct Load {
    answers: AtomicUsize,
    stop: AtomicBool,
}

impl Load {
    fn start(daprd: SocketAddr) -> (Arc<Self>, JoinSet<()>) {
        let load = Arc::new(Self::default());
        let clients = (0..CLIENTS).map(|number| load.clone().call_until_stopped(daprd, number));
        let clients = clients.collect();
        (load, clients)
    }

    /// Calls daprd until it is away. Fails if an answer is not that of the component, or if an error is
    /// not that of a component that is away.
    async fn call_until_stopped(self: Arc<Self>, daprd: SocketAddr, client: usize) {
        let http = direct_client();
        let url = format!("http://{daprd}/v1.0-alpha2/conversation/assistant/converse");
        for call in 0.. {
            let text = format!("call {call} of client {client}");
            let send = async {
                let response = http.post(&url).body(prompt(&text).to_string()).send().await?;
                Ok::<_, reqwest::Error>((response.status().as_u16(), response.text().await?))
            };
            match with_timeout(send).await {
                _ if self.stop.load(Ordering::Relaxed) => break,
                Ok((status, body)) => {
                    self.check(status, &serde_json::from_str(&body).unwrap(), &text);
                }
                Err(error) => panic!("daprd is away: {error}"),
            }
        }
    }

    fn check(&self, status: u16, body: &Value, text: &str) {
        if status == 200 {
            let output = &body["outputs"][0];
            assert_eq!(output["choices"][0]["message"]["content"], text, "{body}");
            assert_eq!(output["model"], "m", "{body}");
            self.answers.fetch_add(1, Ordering::Relaxed);
        } else {
            assert_eq!((status, &body["errorCode"]), (500, &json!("ERR_CONVERSATION_INVOKE")));
        }
    }

    /// Waits until every client has had time for some more calls.
    async fn wait_for_answers(&self) {
        let enough = self.answers.load(Ordering::Relaxed) + 10 * CLIENTS;
        let answered = async || (self.answers.load(Ordering::Relaxed) >= enough).then_some(());
        wait_until(answered, "daprd does not answer").await;
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[test]
fn calls_recover_when_mynah_restarts_under_load() {
    with_daprd("mynah", &[ASSISTANT], async |sockets, mut mynah, daprd| {
        let (load, clients) = Load::start(daprd.http);
        for signal in [Signal::TERM, Signal::KILL, Signal::TERM] {
            load.wait_for_answers().await;
            mynah.signal(signal);
            with_timeout(mynah.wait()).await;
            mynah = sockets.serve();
        }
        // The answers prove that the instance has its properties again.
        load.wait_for_answers().await;
        load.stop();
        clients.join_all().await;
    });
}

#[test]
fn calls_recover_when_daprd_restarts_under_load() {
    with_daprd("mynah", &[ASSISTANT], async |sockets, mynah, mut daprd| {
        let program = Program::Daprd(toolchain::daprd_with_adaptor().unwrap());
        for _ in 0..3 {
            let (load, clients) = Load::start(daprd.http);
            load.wait_for_answers().await;
            load.stop();
            drop(daprd);
            clients.join_all().await;
            daprd = sockets.start(&program, &[ASSISTANT]).await.expect("daprd starts again");
        }
        assert_eq!(converse(daprd.http, "assistant", &prompt("Hello!")).await.0, 200);
        assert!(!mynah.log().contains("panic"), "{}", mynah.log());
    });
}

#[test]
fn deadlines_and_disconnects_cancel_the_call_of_mynah() {
    let scripted: Component<'_> = ("script", &[("provider", "scripted")]);
    with_daprd("mynah", &[scripted], async |_, mut mynah, daprd| {
        let slow = chain(json!([{ "delay": "1h", "messages": [{ "text": "late" }] }]));
        let slow = ConversationRequestAlpha2 { name: "script".to_owned(), ..request([slow]) };
        let mut client = DaprClient::connect(format!("http://{}", daprd.grpc)).await.unwrap();
        let mut with_deadline = Request::new(slow.clone());
        with_deadline.set_timeout(Duration::from_secs(1));
        let error = with_timeout(client.converse_alpha2(with_deadline)).await.unwrap_err();
        assert!(matches!(error.code(), Code::DeadlineExceeded | Code::Cancelled), "{error}");
        let url = format!("http://{}/v1.0-alpha2/conversation/script/converse", daprd.http);
        let body = mynah::internals::wire::json::write(&slow).unwrap();
        let call = direct_client().post(url).timeout(Duration::from_secs(1)).body(body);
        assert!(call.send().await.unwrap_err().is_timeout());
        // mynah exits only when no call is in flight.
        mynah.signal(Signal::TERM);
        with_timeout(mynah.wait()).await;
    });
}
