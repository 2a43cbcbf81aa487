//! The settings of a model behind OpenAI's API.

use http::{HeaderName, HeaderValue, Uri, header::AUTHORIZATION};
use thiserror::Error as ThisError;

/// The header in which Azure expects the key.
const API_KEY: HeaderName = HeaderName::from_static("api-key");

/// The settings of a model behind OpenAI's API. `Debug` does not show the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenAiSettings {
    /// The name of the model.
    pub(crate) model: String,
    /// Where requests go.
    pub(super) url: Uri,
    /// The header with the key.
    pub(super) key: (HeaderName, HeaderValue),
}

/// The reason why an endpoint or a key cannot be used. The key is not shown.
#[derive(Debug, ThisError)]
pub(crate) enum InvalidEndpoint {
    /// The endpoint is not a URL.
    #[error("{0:?} is not an http or https URL, such as https://api.openai.com/v1")]
    Url(String),
    /// The key has characters that headers do not have.
    #[error("the key has characters other than printable ASCII")]
    Key,
}

impl OpenAiSettings {
    /// Returns the settings of a model at an endpoint, such as `https://api.openai.com/v1`.
    pub(crate) fn new(endpoint: &str, key: &str, model: String) -> Result<Self, InvalidEndpoint> {
        let url = url(endpoint, &format!("{}/chat/completions", endpoint.trim_end_matches('/')))?;
        let key = (AUTHORIZATION, secret(&format!("Bearer {key}"))?);
        Ok(Self { model, url, key })
    }

    /// Returns the settings of a deployment of Azure.
    pub(crate) fn azure(
        endpoint: &str,
        version: &str,
        key: &str,
        model: String,
    ) -> Result<Self, InvalidEndpoint> {
        let base = endpoint.trim_end_matches('/');
        let path = format!("openai/deployments/{model}/chat/completions?api-version={version}");
        let url = url(endpoint, &format!("{base}/{path}"))?;
        Ok(Self { model, url, key: (API_KEY, secret(key)?) })
    }
}

fn url(endpoint: &str, whole: &str) -> Result<Uri, InvalidEndpoint> {
    let url: Option<Uri> = whole.parse().ok();
    let is_http = |url: &Uri| matches!(url.scheme_str(), Some("http" | "https"));
    let url = url.filter(|url| is_http(url) && url.host().is_some_and(|host| !host.is_empty()));
    url.ok_or_else(|| InvalidEndpoint::Url(endpoint.to_owned()))
}

fn secret(value: &str) -> Result<HeaderValue, InvalidEndpoint> {
    let mut value = HeaderValue::from_str(value).map_err(|_| InvalidEndpoint::Key)?;
    value.set_sensitive(true);
    Ok(value)
}
