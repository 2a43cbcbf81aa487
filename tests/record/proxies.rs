//! How models are reached: proxies, protocols, redirects.

use http::Version;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    sync::mpsc::{self, UnboundedReceiver},
};

use super::{
    component,
    server::{HI, Model, hello, response},
    tls_server::{TlsModel, trusted},
};
use crate::support::Sidecar;

/// Starts a mynah that asks the model at an endpoint.
fn mynah(endpoint: &str, environment: &[(&str, &str)]) -> Sidecar {
    let folder = component(endpoint);
    let flags = ["--resources-path", folder.to_str().unwrap(), "--upstream", "openai"];
    Sidecar::start_in(environment, &flags)
}

/// A proxy that opens tunnels, all of them to one port.
pub(super) struct Proxy {
    pub(super) url: String,
    /// The requests for tunnels.
    pub(super) heads: UnboundedReceiver<String>,
}

impl Proxy {
    pub(super) async fn start(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://user:planted@{}", listener.local_addr().unwrap());
        let (sender, heads) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let sender = sender.clone();
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        head.push(client.read_u8().await.unwrap());
                    }
                    let _ = sender.send(String::from_utf8(head).unwrap());
                    let mut model = TcpStream::connect(("127.0.0.1", target)).await.unwrap();
                    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
                    let _ = copy_bidirectional(&mut client, &mut model).await;
                });
            }
        });
        Self { url, heads }
    }
}

#[tokio::test]
async fn https_goes_through_a_tunnel() {
    let mut model = TlsModel::start(&["http/1.1"]).await;
    let mut proxy = Proxy::start(model.port).await;
    let (certificates, file) = trusted();
    let environment = [("HTTPS_PROXY", &*proxy.url), (certificates, &*file)];
    let sidecar = mynah("https://model.example/v1", &environment);
    assert_eq!(sidecar.converse(hello()).await.unwrap().content, "hi");
    let head = proxy.heads.recv().await.unwrap().to_lowercase();
    assert!(head.starts_with("connect model.example:443 http/1.1"), "{head}");
    assert!(head.contains("proxy-authorization: basic dxnlcjpwbgfudgvk"), "{head}");
    assert_eq!(model.requests.recv().await.unwrap().1, "/v1/chat/completions");
    assert!(!sidecar.log().contains("planted"));
}

#[tokio::test]
async fn http_goes_through_a_proxy_in_absolute_form() {
    let mut proxy = Model::start(response("200 OK", "application/json", HI)).await;
    let url = proxy.endpoint.replace("http://", "http://user:planted@");
    let sidecar = mynah("http://model.example:8080/v1", &[("HTTP_PROXY", &url)]);
    assert_eq!(sidecar.converse(hello()).await.unwrap().content, "hi");
    let request = proxy.requests.recv().await.unwrap();
    let head = request.to_lowercase();
    assert!(
        head.starts_with("post http://model.example:8080/v1/chat/completions http/1.1"),
        "{head}"
    );
    assert!(head.contains("\r\nhost: model.example:8080\r\n"), "{head}");
    assert!(head.contains("proxy-authorization: basic dxnlcjpwbgfudgvk"), "{head}");
}

#[tokio::test]
async fn no_proxy_and_this_machine_are_reached_directly() {
    let model = Model::json("200 OK", HI).await;
    let environment = [("HTTP_PROXY", "http://127.0.0.1:9")];
    let answer = mynah(&model.endpoint, &environment).converse(hello()).await.unwrap();
    assert_eq!(answer.content, "hi");
    // Nothing answers at this name, but the proxy would.
    let proxy = Model::json("200 OK", HI).await;
    let environment = [("HTTP_PROXY", &*proxy.endpoint), ("NO_PROXY", "invalid")];
    let sidecar = mynah("http://model.invalid/v1", &environment);
    let status = sidecar.converse(hello()).await.unwrap_err();
    assert!(status.message().contains("network error"), "{}", status.message());
}

#[tokio::test]
async fn http2_is_used_if_the_server_has_it() {
    let (certificates, file) = trusted();
    for (protocols, version) in
        [(&["h2", "http/1.1"][..], Version::HTTP_2), (&["http/1.1"], Version::HTTP_11)]
    {
        let mut model = TlsModel::start(protocols).await;
        let endpoint = format!("https://localhost:{}/v1", model.port);
        let sidecar = mynah(&endpoint, &[(certificates, &file)]);
        for _ in 0..2 {
            assert_eq!(sidecar.converse(hello()).await.unwrap().content, "hi");
            assert_eq!(model.requests.recv().await.unwrap().0, version);
        }
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let mut other = Model::json("200 OK", HI).await;
    let reply = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: {}chat/completions\r\ncontent-length: 0\r\n\r\n",
        other.endpoint
    );
    let model = Model::start(reply).await;
    let status = mynah(&model.endpoint, &[]).converse(hello()).await.unwrap_err();
    assert!(status.message().ends_with("unexpected status code: 307"), "{}", status.message());
    assert!(other.requests.try_recv().is_err());
}
