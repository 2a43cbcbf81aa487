//! Who may call: those who know the API token, and no page that a browser happens to show.

use std::net::IpAddr;

use http::{HeaderMap, HeaderName, HeaderValue, Uri, header, uri::Authority};
use subtle::ConstantTimeEq;

use crate::wire::error::{Error, WrongToken};

/// The header, over HTTP and gRPC alike, that the token is in.
static TOKEN: HeaderName = HeaderName::from_static("dapr-api-token");
/// Where a page in a browser comes from, as seen from what it asks for.
static FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Who may call one sidecar.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// What callers must know; `None` lets everybody in.
    pub token: Option<ApiToken>,
    /// Host names that browsers may use, beside those of this machine. `None` where mynah listens
    /// beyond this machine, and any name may be its own.
    pub browser_hosts: Option<Vec<String>>,
}

/// A secret, which no log shows.
#[derive(Clone)]
pub struct ApiToken(String);

impl Access {
    /// Whether a call with these headers knows the token.
    pub(crate) fn check_token(&self, headers: &HeaderMap) -> Result<(), Error> {
        let Some(ApiToken(token)) = &self.token else { return Ok(()) };
        let given = headers.get(&TOKEN);
        let given = given.ok_or(Error::Unauthorized(WrongToken::Missing))?;
        // Takes as long for a token that is nearly right as for any other.
        let same = given.as_bytes().ct_eq(token.as_bytes());
        if bool::from(same) { Ok(()) } else { Err(Error::Unauthorized(WrongToken::Mismatch)) }
    }

    /// Refuses what only a browser sends, on behalf of a page that is not the application's.
    pub(crate) fn check_browser(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Error> {
        let Some(allowed) = &self.browser_hosts else { return Ok(()) };
        let host = uri.authority().map(Authority::as_str).or(text(headers.get(header::HOST)));
        // A name that somebody else's DNS leads here is how a page gets around the same origin.
        if let Some(host) = host.filter(|host| !is_own_host(host_of(host), allowed)) {
            return Err(Error::Forbidden(format!("the host {host:?} is not this machine's")));
        }
        let origin = text(headers.get(header::ORIGIN));
        if let Some(origin) = origin.filter(|origin| !is_own_page(origin, allowed)) {
            return Err(Error::Forbidden(format!("the origin {origin:?} is foreign")));
        }
        if text(headers.get(&FETCH_SITE)) == Some("cross-site") {
            return Err(Error::Forbidden("the request comes from another site".to_owned()));
        }
        Ok(())
    }
}

impl ApiToken {
    /// A token; an empty one is none.
    pub fn new(token: impl Into<String>) -> Option<Self> {
        Some(token.into()).filter(|token| !token.is_empty()).map(Self)
    }
}

impl std::fmt::Debug for ApiToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

fn text(value: Option<&HeaderValue>) -> Option<&str> {
    // Bytes that are no text are no host of anybody's.
    value.map(|value| value.to_str().unwrap_or("?"))
}

/// The host of `host:port`, without the brackets of IPv6.
fn host_of(authority: &str) -> &str {
    let parsed = authority.parse::<Authority>();
    let len = parsed.map_or(authority.len(), |authority| authority.host().len());
    authority.get(..len).unwrap_or(authority).trim_matches(['[', ']'])
}

/// An address cannot be led here by a name.
fn is_own_host(host: &str, allowed: &[String]) -> bool {
    host.parse::<IpAddr>().is_ok() || is_own_name(host, allowed)
}

/// Whether a page comes from this machine.
fn is_own_page(origin: &str, allowed: &[String]) -> bool {
    let host = origin.split_once("://").map_or(origin, |(_, authority)| host_of(authority));
    host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()) || is_own_name(host, allowed)
}

fn is_own_name(host: &str, allowed: &[String]) -> bool {
    let same = |name: &str| name.eq_ignore_ascii_case(host);
    same("localhost") || same("host.docker.internal") || allowed.iter().any(|name| same(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn browser(headers: &[(&'static str, &'static str)]) -> bool {
        let access = Access { token: None, browser_hosts: Some(vec!["dev.example".to_owned()]) };
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        let headers = headers.iter().map(pair).collect();
        access.check_browser(&Uri::from_static("/v1.0/shutdown"), &headers).is_ok()
    }

    #[test]
    fn hosts_of_this_machine_and_allowed_ones_pass() {
        let own = ["127.0.0.1:3500", "[::1]:3500", "10.0.0.7", "localhost", "LOCALHOST:3500"];
        for host in own.into_iter().chain(["host.docker.internal:3500", "dev.example"]) {
            assert!(browser(&[("host", host)]), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:3500", "127.0.0.1.evil.example", "?"] {
            assert!(!browser(&[("host", host)]), "{host}");
        }
        assert!(browser(&[]), "HTTP/1.0 needs no host");
    }

    #[test]
    fn foreign_pages_are_refused() {
        let host = ("host", "localhost:3500");
        for origin in ["http://localhost:8080", "http://127.0.0.1", "https://dev.example"] {
            assert!(browser(&[host, ("origin", origin)]), "{origin}");
        }
        for origin in ["https://evil.example", "http://203.0.113.5", "null", "file://"] {
            assert!(!browser(&[host, ("origin", origin)]), "{origin}");
        }
        assert!(browser(&[host, ("sec-fetch-site", "same-origin")]));
        assert!(!browser(&[host, ("sec-fetch-site", "cross-site")]));
    }

    #[test]
    fn tokens_are_not_shown() {
        assert_eq!(format!("{:?}", ApiToken::new("secret")), "Some(***)");
        assert!(ApiToken::new("").is_none());
    }
}
