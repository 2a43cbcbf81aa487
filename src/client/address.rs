//! Parses the address of a sidecar.

use std::time::Duration;

use http::Uri;
use tonic::transport::Endpoint;

use super::Error;
use crate::base::environment::Environment;

/// The time limit for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time between two HTTP/2 pings. They detect a sidecar that is gone: calls have no time limit.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(5);
/// The time limit for the response to a ping.
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// The gRPC address of a sidecar.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    /// The address as the user wrote it.
    pub(super) text: String,
    pub(super) endpoint: Endpoint,
}

impl Address {
    /// Returns the address in `DAPR_GRPC_ENDPOINT`, or else the local one with the port in
    /// `DAPR_GRPC_PORT`, by default 50001.
    pub(crate) fn from_environment(environment: &Environment) -> Result<Self, Error> {
        // Like Dapr's SDKs, treat an empty variable as not set.
        let variable = |name| environment.get(name).filter(|value| !value.is_empty());
        match variable("DAPR_GRPC_ENDPOINT") {
            Some(address) => Self::parse(address.to_owned()),
            None => {
                let port = variable("DAPR_GRPC_PORT").unwrap_or("50001");
                Self::parse(format!("127.0.0.1:{port}"))
            }
        }
    }

    /// Parses `host:port`, `http://host:port`, `dns:host:port` or `unix:path`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidAddress`], or [`Error::TlsUnsupported`] if the address requires TLS.
    pub(crate) fn parse(text: String) -> Result<Self, Error> {
        let endpoint = Endpoint::from_shared(url(&text)?)
            .and_then(|endpoint| endpoint.user_agent(concat!("mynah/", env!("CARGO_PKG_VERSION"))))
            .map_err(|_| Error::InvalidAddress(text.clone()))?
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
            .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
            .keep_alive_while_idle(true);
        Ok(Self { text, endpoint })
    }
}

/// Converts an address to the form that tonic expects: `http://host:port` or `unix:path`.
fn url(text: &str) -> Result<String, Error> {
    if text.starts_with("https:") || text.ends_with("?tls=true") {
        return Err(Error::TlsUnsupported(text.to_owned()));
    }
    if text.strip_prefix("unix:").is_some_and(|path| !path.trim_start_matches('/').is_empty()) {
        return Ok(text.to_owned());
    }
    let prefixes = ["http://", "dns:///", "dns:"];
    let host = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text);
    let url = format!("http://{}", host.trim_end_matches('/'));
    match url.parse::<Uri>() {
        Ok(uri) if uri.port().is_some() && uri.path() == "/" && uri.query().is_none() => Ok(url),
        _ => Err(Error::InvalidAddress(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_every_form() {
        let cases = [
            ("localhost:50001", "http://localhost:50001"),
            ("http://127.0.0.1:50001/", "http://127.0.0.1:50001"),
            ("[::1]:50001", "http://[::1]:50001"),
            ("dns:sidecar:50001", "http://sidecar:50001"),
            ("dns:///sidecar:50001", "http://sidecar:50001"),
            ("unix:///tmp/dapr.socket", "unix:///tmp/dapr.socket"),
            ("unix:dapr.socket", "unix:dapr.socket"),
        ];
        for (text, expected) in cases {
            assert_eq!(url(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn rejects_invalid_addresses() {
        let invalid = ["", "localhost", "http://", "a b:1", "127.0.0.1:port", "127.0.0.1:70000"];
        for text in
            invalid.into_iter().chain(["ftp://host:1", "host:1/path", "host:1?q", "unix://"])
        {
            assert!(matches!(url(text), Err(Error::InvalidAddress(_))), "{text}");
        }
        for text in ["https://host:443", "http://host:443?tls=true"] {
            assert!(matches!(url(text), Err(Error::TlsUnsupported(_))), "{text}");
        }
    }
}
