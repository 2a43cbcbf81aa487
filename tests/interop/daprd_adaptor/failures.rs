//! Tests of restarts, deadlines and cancellation.

use std::time::Duration;

use mynah::internals::wire::proto::{ConversationRequestAlpha2, dapr_client::DaprClient};
use mynah_needs::needs;
use rustix::process::Signal;
use serde_json::json;
use tokio::runtime::Runtime;
use tonic::Request;

use super::{Component, Sockets, converse, exit_log, with_daprd};
use crate::{
    chains::chain,
    interop::{
        load::{Load, prompt},
        toolchain,
    },
    parity::target::Program,
    support::{
        http::direct_client,
        messages::request,
        process::{wait_until, with_timeout},
    },
};

const ASSISTANT: Component<'_> = ("assistant", &[("provider", "echo"), ("model", "m")]);
#[needs("daprd")]
#[test]
fn calls_recover_when_mynah_restarts_under_load() {
    with_daprd("mynah", &[ASSISTANT], async |sockets, mut mynah, daprd| {
        let (load, clients) = Load::start(daprd.http, "assistant");
        for signal in [Signal::TERM, Signal::KILL, Signal::TERM] {
            load.wait_for_answers().await;
            mynah.signal(signal);
            with_timeout(mynah.wait()).await;
            mynah = sockets.serve();
        }
        load.wait_for_answers().await;
        load.stop();
        clients.join_all().await;
        let (_, body) = converse(daprd.http, "assistant", &prompt("Hello!")).await;
        assert_eq!(body["outputs"][0]["model"], "m", "the instance has its properties: {body}");
    });
}

#[needs("daprd")]
#[test]
fn calls_recover_when_daprd_restarts_under_load() {
    with_daprd("mynah", &[ASSISTANT], async |sockets, mynah, mut daprd| {
        let program = Program::Daprd(toolchain::daprd_with_adaptor().unwrap());
        for _ in 0..3 {
            let (load, clients) = Load::start(daprd.http, "assistant");
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

#[needs("daprd")]
#[test]
fn daprd_started_first_exits() {
    toolchain::suite("daprd", || {
        let program = Program::Daprd(toolchain::daprd_with_adaptor()?);
        let sockets = Sockets::new("mynah");
        let start = sockets.start(&program, &[ASSISTANT]);
        let log = Runtime::new().unwrap().block_on(exit_log(start));
        assert!(log.contains("couldn't find conversation conversation.mynah/v1"), "{log}");
        Ok(())
    });
}

#[needs("daprd")]
#[test]
fn daprd_started_first_finds_mynah_after_sighup_if_it_ignores_errors() {
    toolchain::suite("daprd", || {
        let program = Program::Daprd(toolchain::daprd_with_adaptor()?);
        let sockets = Sockets { ignore_errors: true, ..Sockets::new("mynah") };
        Runtime::new().unwrap().block_on(async {
            let daprd = sockets.start(&program, &[ASSISTANT]).await.expect("daprd starts");
            assert_eq!(converse(daprd.http, "assistant", &prompt("Hello!")).await.0, 400);
            let _mynah = sockets.serve();
            daprd.signal(Signal::HUP);
            let url = format!("http://{}/v1.0-alpha2/conversation/assistant/converse", daprd.http);
            let answered = async || {
                let call = direct_client().post(&url).body(prompt("Hello!").to_string());
                call.send().await.ok().filter(|response| response.status() == 200)
            };
            wait_until(answered, "daprd did not find mynah").await;
        });
        Ok(())
    });
}

#[needs("daprd")]
#[test]
fn deadlines_and_disconnects_cancel_the_call_of_mynah() {
    let scripted: Component<'_> = ("script", &[("provider", "scripted")]);
    with_daprd("mynah", &[scripted], async |_, mut mynah, daprd| {
        let slow = chain(json!([{ "delay": "1h", "messages": [{ "text": "late" }] }]));
        let slow = ConversationRequestAlpha2 { name: "script".to_owned(), ..request([slow]) };
        let mut client = DaprClient::connect(format!("http://{}", daprd.grpc)).await.unwrap();
        let mut with_deadline = Request::new(slow.clone());
        with_deadline.set_timeout(Duration::from_secs(1));
        with_timeout(client.converse_alpha2(with_deadline)).await.unwrap_err();
        let url = format!("http://{}/v1.0-alpha2/conversation/script/converse", daprd.http);
        let body = mynah::internals::wire::json::write(&slow).unwrap();
        let call = direct_client().post(url).timeout(Duration::from_secs(1)).body(body);
        assert!(call.send().await.unwrap_err().is_timeout());
        // mynah exits only when no call is in flight.
        mynah.signal(Signal::TERM);
        with_timeout(mynah.wait()).await;
    });
}
