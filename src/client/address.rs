//! The address of a sidecar.

use std::time::Duration;

use tonic::transport::Endpoint as Channel;

use super::Error;
use crate::base::endpoint::{Endpoint, EndpointError};

/// The time limit for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time between two HTTP/2 pings. A call without a deadline has no time limit, so pings are
/// needed to detect a sidecar that is gone.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(5);
/// The time limit for the response to a ping.
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// The gRPC address of a sidecar.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    /// The address as the user wrote it.
    pub(super) text: String,
    pub(super) channel: Channel,
}

impl Address {
    /// Returns the address in `DAPR_GRPC_ENDPOINT`. If it is not set, returns the local address
    /// with the port in `DAPR_GRPC_PORT`, which is 50001 by default.
    #[cfg(feature = "server")]
    pub(crate) fn from_environment(
        environment: &crate::base::environment::Environment,
    ) -> Result<Self, Error> {
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
    /// Returns [`Error::InvalidAddress`] if the address is malformed, or [`Error::TlsUnsupported`]
    /// if it requires TLS.
    pub(crate) fn parse(text: String) -> Result<Self, Error> {
        let endpoint: Endpoint = text.parse().map_err(|error| match error {
            EndpointError::Invalid => Error::InvalidAddress(text.clone()),
            EndpointError::Tls => Error::TlsUnsupported(text.clone()),
        })?;
        let channel = Channel::from_shared(endpoint.url())
            .and_then(|channel| channel.user_agent(concat!("mynah/", env!("CARGO_PKG_VERSION"))))
            .map_err(|_| Error::InvalidAddress(text.clone()))?
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
            .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
            .keep_alive_while_idle(true);
        Ok(Self { text, channel })
    }
}
