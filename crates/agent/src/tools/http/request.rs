//! The request of a call.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Uri, header::CONTENT_TYPE,
    uri::PathAndQuery,
};
use http_body_util::Full;
use mynah_core::base::{
    json_pointer::JsonPointer,
    template::{Escape, Serde, Templates, Value, Variable},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{References, allow::Allowed, client::HttpClient};

/// An HTTP request. A 2xx response is the result, and any other one is an error.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HttpSource {
    /// Method. Default: GET, or POST if there is a body.
    pub(super) method: Option<HttpMethod>,
    /// URL. Expressions such as {{ args.city }} may follow the host; values are percent-encoded.
    #[schemars(regex(pattern = "^https?://[^/?#{]+([/?].*)?$"))]
    pub(super) url: String,
    /// Headers of the request.
    #[serde(default)]
    pub(super) headers: Vec<Header>,
    /// Body of the request, usually JSON. Values of expressions such as {{ args.city }} are escaped
    /// as in JSON strings, without quotes.
    pub(super) body: Option<String>,
    /// JSON Pointer to the result in the response, such as /current. Default: the whole body.
    pub(super) result: Option<JsonPointer>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the methods of HTTP")]
pub enum HttpMethod {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

/// A header with exactly one of a value, an environment variable and a secret.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = [
        { "required": ["value"] },
        { "required": ["envRef"] },
        { "required": ["secretKeyRef"] },
    ],
))]
pub struct Header {
    /// Name of the header.
    name: String,
    /// Value of the header.
    value: Option<String>,
    /// Name of the environment variable with the value.
    #[serde(rename = "envRef")]
    env_ref: Option<String>,
    /// The secret with the value. Only components have secret stores.
    #[serde(rename = "secretKeyRef")]
    secret: Option<SecretKeyRef>,
}

/// A key in a secret.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SecretKeyRef {
    /// Name of the secret.
    name: String,
    /// Key in the secret. Default: the name of the secret.
    key: Option<String>,
}

/// What the requests of a tool have in common, as written.
#[derive(Debug)]
pub struct RequestSource {
    /// Default: GET, or POST if there is a body.
    pub method: Option<HttpMethod>,
    /// May be a template.
    pub url: String,
    /// The headers in addition to those that mynah sets.
    pub headers: Vec<Header>,
    /// Default: none.
    pub body: Option<Body>,
}

/// What the requests of a tool have in common.
#[derive(Debug)]
pub struct RequestTemplate {
    method: Method,
    /// Scheme and authority.
    origin: Uri,
    /// Path and query, and its templates.
    target: (String, Templates),
    headers: HeaderMap,
    body: Option<BodyTemplate>,
}

/// The variables of the expressions in a request.
#[derive(Debug)]
pub struct Variables(Value);

impl Variables {
    /// Creates variables from the fields of an object.
    pub fn new(fields: &serde_json::Value) -> Self {
        Self(Value::from(Serde(fields)))
    }
}

impl RequestTemplate {
    /// Checks a request whose expressions may use these variables. Returns what is wrong with it.
    pub fn new(
        source: RequestSource,
        variables: &[&'static str],
        references: &dyn References,
    ) -> Result<Self, String> {
        let (origin, target) = split(&source.url)?;
        let default = if source.body.is_some() { HttpMethod::Post } else { HttpMethod::Get };
        let mut headers = HeaderMap::new();
        if source.body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        headers.extend(resolve_headers(source.headers, references)?);
        let known = |name: &&'static str| Variable { name, is_text: false };
        let variables: Vec<_> = variables.iter().map(known).collect();
        let mut templates = Templates::of_requests(Escape::Url);
        templates.add(target, &variables).map_err(|error| format!("url: {error}"))?;
        let body = source.body.map(|body| BodyTemplate::new(body, &variables)).transpose();
        Ok(Self {
            method: source.method.unwrap_or(default).into(),
            origin,
            target: (target.to_owned(), templates),
            headers,
            body: body.map_err(|error| format!("body: {error}"))?,
        })
    }

    /// Returns a client for the requests. Without `allow`, it may connect to the host and port in
    /// their URL.
    pub fn client(&self, allow: Option<&[Allowed]>) -> Result<HttpClient, String> {
        HttpClient::new(&self.origin, allow)
    }

    /// Returns the request with these variables.
    pub fn request(&self, variables: &Variables) -> Result<Request<Full<Bytes>>, String> {
        let Variables(variables) = variables;
        let (target, templates) = &self.target;
        let target = templates.render(target, variables)?;
        let path = target.split('?').next().unwrap_or_default();
        if path.split('/').any(|segment| matches!(segment, "." | "..")) {
            return Err(format!("the path {path:?} must not contain . or .. as a segment"));
        }
        let body = self.body.as_ref().map(|body| body.render(variables)).transpose()?;
        let mut parts = self.origin.clone().into_parts();
        let target: PathAndQuery =
            target.parse().map_err(|error| format!("invalid URL path {target:?}: {error}"))?;
        parts.path_and_query = Some(target);
        let url = Uri::from_parts(parts).map_err(|error| error.to_string())?;
        let mut request = Request::new(Full::from(body.unwrap_or_default()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = url;
        *request.headers_mut() = self.headers.clone();
        Ok(request)
    }
}

/// Splits a URL into its origin and the rest, which may have expressions.
fn split(url: &str) -> Result<(Uri, &str), String> {
    let expected = "expected a URL such as http://localhost:8080/weather";
    let invalid = || format!("{url:?} is not an http or https URL; {expected}");
    let (scheme, rest) = url.split_once("://").ok_or_else(invalid)?;
    let (authority, target) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if authority.contains('{') {
        return Err(format!("the host of {url:?} must not contain an expression"));
    }
    if !matches!(scheme, "http" | "https") || authority.contains('@') {
        return Err(invalid());
    }
    let origin = Uri::builder().scheme(scheme).authority(authority).path_and_query("/").build();
    Ok((origin.map_err(|_| invalid())?, if target.is_empty() { "/" } else { target }))
}

/// Checks a URL without expressions.
pub(crate) fn parse_url(url: &str) -> Result<Uri, String> {
    let (origin, target) = split(url)?;
    let mut parts = origin.into_parts();
    let target = target.parse().map_err(|error| format!("invalid URL {url:?}: {error}"))?;
    parts.path_and_query = Some(target);
    Uri::from_parts(parts).map_err(|error| error.to_string())
}

/// Reads the values of headers.
pub(crate) fn resolve_headers(
    headers: Vec<Header>,
    references: &dyn References,
) -> Result<HeaderMap, String> {
    headers.into_iter().map(|header| header.resolve(references)).collect()
}

impl Header {
    fn resolve(self, references: &dyn References) -> Result<(HeaderName, HeaderValue), String> {
        let Self { name, value, env_ref, secret } = self;
        let value = match (value, env_ref, secret) {
            (Some(value), None, None) => Ok(value),
            (None, Some(variable), None) => references.variable(&variable),
            (None, None, Some(SecretKeyRef { name, key })) => {
                references.secret(&name, key.as_deref().unwrap_or(&name))
            }
            _ => Err("needs exactly one of value, envRef and secretKeyRef".to_owned()),
        };
        let value = value.map_err(|error| format!("the header {name:?}: {error}"))?;
        // The value may be a secret.
        let invalid =
            || format!("the value of the header {name:?} has characters that are not allowed");
        let mut value = HeaderValue::try_from(value).map_err(|_| invalid())?;
        value.set_sensitive(true);
        let parsed = name.parse().map_err(|_| format!("{name:?} is not the name of a header"))?;
        Ok((parsed, value))
    }
}

impl From<HttpMethod> for Method {
    fn from(method: HttpMethod) -> Self {
        match method {
            HttpMethod::Get => Self::GET,
            HttpMethod::Post => Self::POST,
            HttpMethod::Put => Self::PUT,
            HttpMethod::Patch => Self::PATCH,
            HttpMethod::Delete => Self::DELETE,
        }
    }
}

/// The body of a request as written.
#[derive(Debug)]
pub enum Body {
    /// A text, usually JSON. The values of its expressions are escaped as in JSON strings.
    Text(String),
    /// JSON whose strings are templates. A string that is a single expression stands for its value.
    Json(serde_json::Value),
}

/// A body whose expressions have been checked.
#[derive(Debug)]
struct BodyTemplate {
    text: String,
    is_json: bool,
    templates: Templates,
}

impl BodyTemplate {
    /// Checks a body. Returns the reason if it is malformed or uses other variables than these.
    pub(super) fn new(body: Body, variables: &[Variable<'_>]) -> Result<Self, String> {
        let (text, is_json, escape) = match body {
            Body::Text(text) => (text, false, Escape::Json),
            Body::Json(json) => (json.to_string(), true, Escape::None),
        };
        let mut templates = Templates::of_requests(escape);
        match is_json {
            true => templates.add_json(&text, variables)?,
            false => templates.add(&text, variables)?,
        }
        Ok(Self { text, is_json, templates })
    }

    /// Returns the text with these variables.
    fn render(&self, variables: &Value) -> Result<String, String> {
        let text = match self.is_json {
            true => self.templates.render_json(&self.text, variables, None)?,
            false => self.templates.render(&self.text, variables)?,
        };
        Ok(text.into_owned())
    }
}
