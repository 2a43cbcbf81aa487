//! Where a sidecar listens, as Dapr's clients are told.

use std::time::Duration;

use http::Uri;
use tonic::transport::Endpoint;

use super::Error;
use crate::base::environment::Environment;

/// Longer than any sidecar of a working network needs.
const CONNECTS_WITHIN: Duration = Duration::from_secs(10);
/// Silence after which a sidecar is asked whether it is there, and the time that it has to say so.
/// An answer may take as long as it likes.
const PING_AFTER: Duration = Duration::from_secs(5);
const ANSWERS_PINGS_WITHIN: Duration = Duration::from_secs(5);

/// The gRPC address of a sidecar.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    /// As it was written.
    pub(super) text: String,
    pub(super) endpoint: Endpoint,
}

impl Address {
    /// The address in the environment, or else the one where sidecars listen.
    pub(crate) fn of(environment: &Environment) -> Result<Self, Error> {
        // Dapr's clients take an empty variable for one that is not set.
        let variable = |name| environment.get(name).filter(|value| !value.is_empty());
        match variable("DAPR_GRPC_ENDPOINT") {
            Some(address) => Self::new(address.to_owned()),
            None => {
                let port = variable("DAPR_GRPC_PORT").unwrap_or("50001");
                Self::new(format!("127.0.0.1:{port}"))
            }
        }
    }

    /// The address that somebody wrote.
    pub(crate) fn new(text: String) -> Result<Self, Error> {
        let endpoint = Endpoint::from_shared(url(&text)?)
            .and_then(|endpoint| endpoint.user_agent(concat!("mynah/", env!("CARGO_PKG_VERSION"))))
            .map_err(|_| Error::Address(text.clone()))?
            .connect_timeout(CONNECTS_WITHIN)
            .http2_keep_alive_interval(PING_AFTER)
            .keep_alive_timeout(ANSWERS_PINGS_WITHIN)
            .keep_alive_while_idle(true);
        Ok(Self { text, endpoint })
    }
}

/// The address as tonic reads it: `http://host:port` or `unix:path`.
fn url(text: &str) -> Result<String, Error> {
    if text.starts_with("https:") || text.ends_with("?tls=true") {
        return Err(Error::Tls(text.to_owned()));
    }
    if text.strip_prefix("unix:").is_some_and(|path| !path.trim_start_matches('/').is_empty()) {
        return Ok(text.to_owned());
    }
    let prefixes = ["http://", "dns:///", "dns:"];
    let host = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text);
    let url = format!("http://{}", host.trim_end_matches('/'));
    match url.parse::<Uri>() {
        Ok(uri) if uri.port().is_some() && uri.path() == "/" && uri.query().is_none() => Ok(url),
        _ => Err(Error::Address(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_an_address_is_read() {
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
    fn what_is_no_address_is_refused() {
        let wrong = ["", "localhost", "http://", "a b:1", "127.0.0.1:port", "127.0.0.1:70000"];
        for text in wrong.into_iter().chain(["ftp://host:1", "host:1/path", "host:1?q", "unix://"])
        {
            assert!(matches!(url(text), Err(Error::Address(_))), "{text}");
        }
        for text in ["https://host:443", "http://host:443?tls=true"] {
            assert!(matches!(url(text), Err(Error::Tls(_))), "{text}");
        }
    }
}
