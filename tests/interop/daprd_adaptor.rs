//! Tests of the Go module `daprd/`, which builds daprd with pluggable conversation components.

use std::{fs, path::PathBuf, process::Command};

use serde_json::{Value, json};

use super::{child, clients, folder, toolchain};
use crate::{
    parity::target::{Exit, Program, Setup, Target},
    support::{Sidecar, http::direct_client, process::wait_until, scratch},
};

#[test]
fn go_module_passes_its_own_tests() {
    toolchain::suite("daprd", || {
        let module = folder("daprd");
        toolchain::go_modules(&module)?;
        for check in [["vet", "./..."].as_slice(), &["test", "-count=1", "./..."]] {
            let mut go = Command::new("go");
            go.args(check).current_dir(&module);
            child::run(&mut go).expect_success(&check.join(" "));
        }
        Ok(())
    });
}

#[test]
fn daprd_without_the_adaptor_has_no_pluggable_conversation_components() {
    toolchain::suite("daprd", || {
        let sockets = Sockets::new("mynah");
        let _mynah = sockets.serve();
        let exit = run(async || {
            let mut started = sockets.start(toolchain::daprd()?, &[("assistant", &[])]).await;
            Ok(started.as_mut().map_or_else(|exit| exit.log.clone(), wait_for_exit))
        })?;
        assert!(exit.contains("couldn't find conversation conversation.mynah/v1"), "{exit}");
        Ok(())
    });
}

#[test]
fn daprd_with_the_adaptor_answers_as_mynah_does() {
    toolchain::suite("daprd", || {
        let sockets = Sockets::new("mynah");
        let mynah = sockets.serve();
        run(async || {
            let components = [("echo", [("provider", "echo")].as_slice())];
            let program = toolchain::daprd_with_adaptor()?;
            let daprd = sockets.start(program, &components).await.expect("daprd starts");
            // The ids of calls depend on the component's name.
            for messages in [question(), results()] {
                let request = json!({ "inputs": [{ "messages": messages }], "tools": tools() });
                let direct = converse(&mynah.http.to_string(), "echo", &request).await;
                let through = converse(&daprd.http.to_string(), "echo", &request).await;
                assert_eq!(through, direct, "{request}");
                assert_eq!(direct.0, 200, "{direct:?}");
            }
            Ok(())
        })
    });
}

#[test]
fn clients_work_with_a_pluggable_component() {
    toolchain::suite("daprd", || {
        let sockets = Sockets::new("mynah");
        let _mynah = sockets.serve();
        run(async || {
            let program = toolchain::daprd_with_adaptor()?;
            let components = [("echo", [("provider", "scripted")].as_slice())];
            let daprd = sockets.start(program, &components).await.expect("daprd starts");
            clients::work_with(&daprd).await;
            Ok(())
        })
    });
}

#[test]
fn components_on_one_socket_have_their_own_settings() {
    toolchain::suite("daprd", || {
        let sockets = Sockets::new("mynah");
        let _mynah = sockets.serve();
        run(async || {
            let program = toolchain::daprd_with_adaptor()?;
            let settings =
                [("first", [("model", "a")].as_slice()), ("second", [("model", "b")].as_slice())];
            let daprd = sockets.start(program, &settings).await.expect("daprd starts");
            for (name, model) in [("first", "a"), ("second", "b"), ("first", "a")] {
                let request = json!({ "inputs": [{ "messages": question() }] });
                let (_, body) = converse(&daprd.http.to_string(), name, &request).await;
                assert_eq!(body["outputs"][0]["model"], model, "{body}");
            }
            Ok(())
        })
    });
}

#[test]
fn a_socket_takes_over_a_built_in_type() {
    toolchain::suite("daprd", || {
        let sockets = Sockets::new("openai");
        let mynah = sockets.serve();
        run(async || {
            // The provider of the real component is not called.
            let properties = [("endpoint", "http://127.0.0.1:1/v1"), ("key", "k"), ("model", "m")];
            let program = toolchain::daprd_with_adaptor()?;
            let daprd =
                sockets.start(program, &[("gpt", &properties)]).await.expect("daprd starts");
            let request = json!({ "inputs": [{ "messages": question() }] });
            let (status, body) = converse(&daprd.http.to_string(), "gpt", &request).await;
            assert_eq!((status, &body["outputs"][0]["model"]), (200, &json!("m")), "{body}");
            assert!(mynah.log().contains("endpoint"), "{}", mynah.log());
            Ok(())
        })
    });
}

#[test]
fn daprd_with_the_adaptor_passes_on_errors_without_a_prefix() {
    toolchain::suite("daprd", || {
        let sockets = Sockets::new("mynah");
        let _mynah = sockets.serve();
        run(async || {
            let components =
                [("strict", [("provider", "scripted"), ("fallback", "error")].as_slice())];
            let program = toolchain::daprd_with_adaptor()?;
            let daprd = sockets.start(program, &components).await.expect("daprd starts");
            let request = json!({ "inputs": [{ "messages": question() }] });
            let (status, body) = converse(&daprd.http.to_string(), "strict", &request).await;
            let message = body["message"].as_str().unwrap_or_default();
            assert_eq!(status, 500, "{body}");
            assert!(message.starts_with("failed conversing with component strict: "), "{body}");
            assert!(!message.contains("rpc error"), "{body}");
            Ok(())
        })
    });
}

#[test]
fn daprd_with_the_adaptor_survives_a_restart_of_mynah() {
    toolchain::suite("daprd", || {
        let sockets = Sockets::new("mynah");
        let mynah = sockets.serve();
        run(async || {
            let components = [("assistant", [("provider", "echo"), ("model", "m")].as_slice())];
            let program = toolchain::daprd_with_adaptor()?;
            let daprd = sockets.start(program, &components).await.expect("daprd starts");
            let address = daprd.http.to_string();
            let request = json!({ "inputs": [{ "messages": question() }] });
            assert_eq!(converse(&address, "assistant", &request).await.0, 200);
            drop(mynah);
            assert_eq!(converse(&address, "assistant", &request).await.0, 500);
            let _restarted = sockets.serve();
            // Calls fail at once until the connection is back.
            let connected = async || {
                let (status, body) = converse(&address, "assistant", &request).await;
                (status == 200).then_some(body)
            };
            let body = wait_until(connected, "daprd did not connect again").await;
            assert_eq!(body["outputs"][0]["model"], "m", "the properties are sent again");
            Ok(())
        })
    });
}

/// A folder in which daprd finds a socket of mynah.
struct Sockets {
    folder: PathBuf,
    name: &'static str,
}

impl Sockets {
    fn new(name: &'static str) -> Self {
        Self { folder: scratch("adaptor").join("sockets"), name }
    }

    fn environment(&self) -> (&'static str, String) {
        ("DAPR_COMPONENTS_SOCKETS_FOLDER", self.folder.to_str().unwrap().to_owned())
    }

    /// Starts mynah with the socket.
    fn serve(&self) -> Sidecar {
        let (name, value) = self.environment();
        Sidecar::start_in(&[(name, &value)], &["--component-socket", self.name])
    }

    /// Starts daprd with components whose type has the name of the socket.
    async fn start(
        &self,
        daprd: PathBuf,
        components: &[(&str, &[(&str, &str)])],
    ) -> Result<Target, Exit> {
        let resources = scratch("adaptor-resources");
        for (name, properties) in components {
            let items: Vec<_> =
                properties.iter().map(|(k, v)| json!({ "name": k, "value": v })).collect();
            let manifest = json!({
                "apiVersion": "dapr.io/v1alpha1",
                "kind": "Component",
                "metadata": { "name": name },
                "spec": { "type": format!("conversation.{}", self.name), "version": "v1", "metadata": items },
            });
            fs::write(resources.join(format!("{name}.yaml")), manifest.to_string()).unwrap();
        }
        let environment = vec![self.environment()];
        let setup = Setup { resources: vec![resources], environment, ..Setup::default() };
        Program::Daprd(daprd).start(&setup).await
    }
}

fn run<T>(
    test: impl AsyncFnOnce() -> Result<T, toolchain::Missing>,
) -> Result<T, toolchain::Missing> {
    tokio::runtime::Runtime::new().unwrap().block_on(test())
}

/// Returns the log of a daprd that was healthy for a moment.
fn wait_for_exit(target: &mut Target) -> String {
    target.wait().expect("daprd exits").log
}

/// Calls a component over HTTP. Returns the status and the body.
async fn converse(address: &str, component: &str, request: &Value) -> (u16, Value) {
    let url = format!("http://{address}/v1.0-alpha2/conversation/{component}/converse");
    let response = direct_client().post(url).body(request.to_string()).send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_str(&response.text().await.unwrap()).unwrap())
}

/// A history of several roles, whose last message mentions the tool.
fn question() -> Value {
    json!([
        { "ofSystem": { "content": [{ "text": "Be brief." }] } },
        { "ofUser": { "content": [{ "text": "Hello!" }, { "text": "Hello?" }] } },
        { "ofAssistant": { "content": [{ "text": "Hello." }] } },
        { "ofUser": { "content": [{ "text": "What is the weather in Oslo?" }] } },
    ])
}

/// A history that ends with the results of two calls, one of them in two parts.
fn results() -> Value {
    let call = |id| json!({ "id": id, "function": { "name": "get_weather", "arguments": "{}" } });
    let result = |id, parts: &[&str]| {
        let content: Vec<_> = parts.iter().map(|text| json!({ "text": text })).collect();
        json!({ "ofTool": { "toolId": id, "name": "get_weather", "content": content } })
    };
    json!([
        { "ofUser": { "content": [{ "text": "What is the weather in Oslo and in Rome?" }] } },
        { "ofAssistant": { "toolCalls": [call("1"), call("2")] } },
        result("1", &["Rain", "and wind"]),
        result("2", &["Sun"]),
    ])
}

fn tools() -> Value {
    let parameters = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    json!([{ "function": { "name": "get_weather", "parameters": parameters } }])
}
