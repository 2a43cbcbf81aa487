//! Clients that call a component of daprd while something restarts.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::{
    http::direct_client,
    process::{wait_until, with_timeout},
};

/// The number of clients that call at the same time.
const CLIENTS: usize = 8;

/// Clients that call daprd all the time.
#[derive(Default)]
pub(super) struct Load {
    answers: AtomicUsize,
    stop: AtomicBool,
}

impl Load {
    /// Starts to call a component over HTTP.
    pub(super) fn start(daprd: SocketAddr, component: &str) -> (Arc<Self>, JoinSet<()>) {
        let load = Arc::new(Self::default());
        let url = format!("http://{daprd}/v1.0-alpha2/conversation/{component}/converse");
        let client = |number| load.clone().call_until_stopped(url.clone(), number);
        let clients = (0..CLIENTS).map(client);
        let clients = clients.collect();
        (load, clients)
    }

    /// Calls a component until the load is stopped. Fails if an answer is not that of an echo, or if an
    /// error is not that of a component that is away.
    async fn call_until_stopped(self: Arc<Self>, url: String, client: usize) {
        let http = direct_client();
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
            assert_eq!(body["outputs"][0]["choices"][0]["message"]["content"], text, "{body}");
            self.answers.fetch_add(1, Ordering::Relaxed);
        } else {
            assert_eq!((status, &body["errorCode"]), (500, &json!("ERR_CONVERSATION_INVOKE")));
        }
    }

    /// Waits until every client has had time for some more calls.
    pub(super) async fn wait_for_answers(&self) {
        let enough = self.answers.load(Ordering::Relaxed) + 10 * CLIENTS;
        let answered = async || (self.answers.load(Ordering::Relaxed) >= enough).then_some(());
        wait_until(answered, "daprd does not answer").await;
    }

    /// Stops the clients. They ignore the result of their last call.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Returns a request with one user message.
pub(super) fn prompt(text: &str) -> Value {
    json!({ "inputs": [{ "messages": [{ "ofUser": { "content": [{ "text": text }] } }] }] })
}
