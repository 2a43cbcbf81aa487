//! Tests of mynah behind an unmodified daprd, as an output binding.

use mynah_needs::needs;
use serde_json::{Value, json};

use super::{
    behind_daprd::{mynah, resources, with_daprd},
    manifest::item,
};
use crate::{
    parity::target::Setup,
    support::{http::direct_client, ports::ReservedPort, process::wait_until, scratch},
};

#[needs("daprd")]
#[test]
fn an_output_binding_converses() {
    let folder = scratch("binding-sockets");
    let sockets = folder.to_str().unwrap().to_owned();
    let port = ReservedPort::new();
    let start = || {
        let environment = [("DAPR_COMPONENTS_SOCKETS_FOLDER", &*sockets)];
        mynah(port.number, &environment, &["--component-socket=mynah"])
    };
    let directions = [item("direction", "output"), item("mode", "daprd")];
    let components =
        [("plain", "bindings.mynah", &directions[..1]), ("daprd", "bindings.mynah", &directions)];
    let setup = Setup {
        resources: vec![resources(&components)],
        environment: vec![("DAPR_COMPONENTS_SOCKETS_FOLDER", sockets.clone())],
        ..Setup::default()
    };
    let first = start();
    with_daprd(&setup, async |daprd| {
        let message = |role: &str, text: &str| json!({role: {"content": [{"text": text}]}});
        let messages = [message("ofSystem", "be brief"), message("ofUser", "hi")];
        let data = json!({"inputs": [{"messages": messages}]});
        let invoke = async |name: &str, operation: &str| {
            let body = json!({"operation": operation, "data": data}).to_string();
            let url = format!("http://{}/v1.0/bindings/{name}", daprd.http);
            let reply = direct_client().post(url).body(body).send().await.unwrap();
            serde_json::from_str::<Value>(&reply.text().await.unwrap()).unwrap()
        };
        for (name, expected) in [("plain", "hi"), ("daprd", "be brief\nhi")] {
            let answer = invoke(name, "converse").await;
            assert_eq!(answer["outputs"][0]["choices"][0]["message"]["content"], expected);
            assert_eq!(
                invoke(name, "get").await,
                json!({"name": name, "type": "conversation.echo"})
            );
        }
        let unknown = invoke("plain", "delete").await;
        assert_eq!(unknown["errorCode"], "ERR_INVOKE_OUTPUT_BINDING");
        // daprd sends its settings only once.
        drop(first);
        assert_eq!(invoke("plain", "get").await["errorCode"], "ERR_INVOKE_OUTPUT_BINDING");
        let _second = start();
        // daprd dials again after a second.
        let dialled = async || {
            let error = invoke("plain", "get").await;
            (!error["message"].as_str().unwrap().contains("code = Unavailable")).then_some(error)
        };
        let error = wait_until(dialled, "daprd did not dial mynah again").await;
        let text = "component plain was not initialised since mynah started: restart daprd or edit its YAML";
        assert!(error["message"].as_str().unwrap().ends_with(text), "{error}");
    });
}
