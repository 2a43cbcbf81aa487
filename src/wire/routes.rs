//! The routes of Dapr's runtime API that mynah serves. The router and the error for an unknown
//! route use the same list.

use http::Method;

include!(concat!(env!("OUT_DIR"), "/dapr_methods.rs"));

/// A route of Dapr's HTTP API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    ConverseAlpha1,
    ConverseAlpha2,
    Health,
    HealthOutbound,
    Metadata,
    SetMetadata,
    Shutdown,
}

impl Route {
    /// Every route, in the order in which an error lists them.
    pub(crate) const ALL: [Self; 7] = [
        Self::ConverseAlpha1,
        Self::ConverseAlpha2,
        Self::Health,
        Self::HealthOutbound,
        Self::Metadata,
        Self::SetMetadata,
        Self::Shutdown,
    ];

    pub(crate) fn method(self) -> Method {
        match self {
            Self::ConverseAlpha1 | Self::ConverseAlpha2 | Self::Shutdown => Method::POST,
            Self::Health | Self::HealthOutbound | Self::Metadata => Method::GET,
            Self::SetMetadata => Method::PUT,
        }
    }

    /// Returns the path, with parameters in axum's syntax.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::ConverseAlpha1 => "/v1.0-alpha1/conversation/{name}/converse",
            Self::ConverseAlpha2 => "/v1.0-alpha2/conversation/{name}/converse",
            Self::Health => "/v1.0/healthz",
            Self::HealthOutbound => "/v1.0/healthz/outbound",
            Self::Metadata => "/v1.0/metadata",
            Self::SetMetadata => "/v1.0/metadata/{key}",
            Self::Shutdown => "/v1.0/shutdown",
        }
    }

    /// Returns the route of a request, unless its path has parameters.
    pub(crate) fn of(method: &Method, path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| path == route.path() && *method == route.method())
    }

    /// Returns `true` if calls need no API token: orchestrators check health without one.
    pub(crate) fn is_public(self) -> bool {
        matches!(self, Self::Health | Self::HealthOutbound)
    }
}

/// Returns the message for a call that mynah does not serve. It lists the calls that mynah does serve.
pub(super) fn not_served() -> String {
    let routes = Route::ALL.map(|route| format!("{} {}", route.method(), route.path())).join(", ");
    let (last, methods) = DAPR_METHODS.split_last().unwrap_or((&"", &[]));
    let methods = methods.join(", ");
    format!(
        "mynah serves the conversation API only: {routes}; over gRPC, {methods} and {last}; \
         to pass on other calls to a daprd, start mynah with --daprd and --daprd-http"
    )
}

/// The paths of OpenAI's API that mynah serves, each with its method.
pub(super) const OPENAI_ROUTES: [&str; 9] = [
    "POST /v1/chat/completions",
    "POST /v1/responses",
    "GET /v1/responses/{id}",
    "DELETE /v1/responses/{id}",
    "POST /v1/embeddings",
    "POST /v1/openai/deployments/{model}/chat/completions",
    "POST /v1/openai/deployments/{model}/embeddings",
    "GET /v1/models",
    "GET /v1/models/{model}",
];
