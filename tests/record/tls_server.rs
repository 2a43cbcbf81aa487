//! A model behind TLS.

use std::{convert::Infallible, path::PathBuf, sync::Arc};

use http::{Request, Response, Version};
use http_body_util::Full;
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use tokio::{
    net::TcpListener,
    sync::mpsc::{self, UnboundedReceiver},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

use super::server::HI;

/// A model behind TLS, whose certificate is for `model.example` and `localhost`.
pub(super) struct TlsModel {
    pub(super) port: u16,
    /// The versions and the URLs of the requests.
    pub(super) requests: UnboundedReceiver<(Version, String)>,
}

impl TlsModel {
    /// Starts a model that offers these protocols, such as `h2`.
    pub(super) async fn start(protocols: &[&str]) -> Self {
        let acceptor = TlsAcceptor::from(Arc::new(config(protocols)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, requests) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let (acceptor, sender) = (acceptor.clone(), sender.clone());
                let answer = service_fn(move |request: Request<Incoming>| {
                    let _ = sender.send((request.version(), request.uri().to_string()));
                    async { Ok::<_, Infallible>(Response::new(Full::new(HI.as_bytes()))) }
                });
                tokio::spawn(async move {
                    // Clients may refuse the certificate.
                    let Ok(connection) = acceptor.accept(connection).await else { return };
                    let io = TokioIo::new(connection);
                    let _ = Builder::new(TokioExecutor::new()).serve_connection(io, answer).await;
                });
            }
        });
        Self { port, requests }
    }
}

/// The variable with which mynah trusts the model.
pub(super) fn trusted() -> (&'static str, String) {
    ("SSL_CERT_FILE", path("ca.pem").into_os_string().into_string().unwrap())
}

fn path(file: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests/record/tls", file].iter().collect()
}

fn config(protocols: &[&str]) -> ServerConfig {
    let certificate = CertificateDer::from_pem_file(path("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(path("server.key")).unwrap();
    let builder = ServerConfig::builder_with_provider(ring::default_provider().into());
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let mut config = builder.with_single_cert(vec![certificate], key).unwrap();
    config.alpn_protocols = protocols.iter().map(|it| it.as_bytes().to_vec()).collect();
    config
}
