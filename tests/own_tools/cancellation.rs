//! Calls that are cancelled stop their tools.

use std::convert::Infallible;

use hyper::body::Incoming;
use rustix::process::Signal;
use tokio::{
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    task::JoinHandle,
};

use super::Owner;
use crate::{
    forward::stub::{Body, Stub},
    support::{
        Sidecar,
        messages::{request, user},
        process::with_timeout,
    },
};

/// A server that never answers. It reports each request, and then that it has been abandoned.
struct Silent {
    server: Stub,
    events: UnboundedReceiver<&'static str>,
}

struct Abandoned(UnboundedSender<&'static str>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        let _ = self.0.send("abandoned");
    }
}

impl Silent {
    async fn start() -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        let server = Stub::start(move |_: http::Request<Incoming>| {
            let sender = sender.clone();
            async move {
                let _abandoned = Abandoned(sender.clone());
                sender.send("called").unwrap();
                std::future::pending::<Infallible>().await;
                http::Response::<Body>::default()
            }
        })
        .await;
        Self { server, events }
    }

    async fn next(&mut self) -> &'static str {
        with_timeout(self.events.recv()).await.unwrap()
    }

    fn owner(&self) -> Owner {
        let url = format!("http://{}/", self.server.address);
        Owner::new("echo", "", &format!("tools:\n- {{name: find_order, http: {{url: '{url}'}}}}\n"))
    }
}

async fn ask(sidecar: &Sidecar) -> JoinHandle<()> {
    let mut client = sidecar.client().await;
    tokio::spawn(async move {
        let _ = client.converse_alpha2(request([user("find order 1")])).await;
    })
}

#[tokio::test]
async fn the_tool_stops_when_the_client_cancels() {
    let mut silent = Silent::start().await;
    let sidecar = silent.owner().start();
    let call = ask(&sidecar).await;
    assert_eq!(silent.next().await, "called");
    call.abort();
    assert_eq!(silent.next().await, "abandoned");
}

#[tokio::test]
async fn the_tool_stops_when_the_sidecar_shuts_down() {
    let mut silent = Silent::start().await;
    let owner = silent.owner();
    let grace = "--dapr-graceful-shutdown-seconds=1";
    let sidecar = Sidecar::start_with(&["--resources-path", &owner.resources(), grace]);
    let call = ask(&sidecar).await;
    assert_eq!(silent.next().await, "called");
    sidecar.signal(Signal::TERM);
    assert_eq!(silent.next().await, "abandoned");
    with_timeout(call).await.unwrap();
}
