//! Where requests go, and the connections to it.

use super::settings::OpenAiSettings;
use crate::{base::environment::Environment, tools::HttpClient};

/// Where requests go, and the connections to it.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) settings: OpenAiSettings,
    /// Shared by the serving threads. The runtime of the thread that opens a connection drives it, also for
    /// the calls of other threads. Waking that thread costs less than a TLS handshake for each thread.
    pub(super) client: HttpClient,
}

impl Endpoint {
    /// Opens no connection yet. Fails with a message if the proxy in the environment is invalid, or if the
    /// system's certificates cannot be read.
    pub(super) fn new(settings: OpenAiSettings, environment: &Environment) -> Result<Self, String> {
        let client = HttpClient::to_host(&settings.url, environment)?;
        Ok(Self { settings, client })
    }
}
