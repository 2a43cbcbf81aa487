//! Access control: checks the API token, and rejects browser requests from pages of other sites.

use std::net::IpAddr;

use http::{HeaderMap, HeaderName, HeaderValue, Uri, header, uri::Authority};
use subtle::ConstantTimeEq;

use crate::wire::error::{Error, WrongToken};

/// The header that carries the token, over both HTTP and gRPC.
static TOKEN: HeaderName = HeaderName::from_static("dapr-api-token");
/// The header in which a browser says whether the page and the server belong to the same site.
static FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The rules for who may call a sidecar.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The token that calls must carry. `None` admits calls without a token.
    pub token: Option<ApiToken>,
    /// Host names that browsers may use in addition to this machine's. `None` disables the browser
    /// checks, because a server that other machines can reach may have any name.
    pub browser_hosts: Option<Vec<String>>,
}

/// A secret token, which is never shown by `Debug`.
#[derive(Clone)]
pub struct ApiToken(String);

impl Access {
    /// Rejects a call without the token.
    pub(crate) fn check_token(&self, headers: &HeaderMap) -> Result<(), Error> {
        let Some(ApiToken(token)) = &self.token else { return Ok(()) };
        let given = headers.get(&TOKEN);
        let given = given.ok_or(Error::Unauthorized(WrongToken::Missing))?;
        // Compare in constant time, so that timing reveals nothing about the token.
        let is_same = given.as_bytes().ct_eq(token.as_bytes());
        if bool::from(is_same) { Ok(()) } else { Err(Error::Unauthorized(WrongToken::Mismatch)) }
    }

    /// Rejects calls that a browser sends on behalf of a page of another site.
    pub(crate) fn check_browser(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Error> {
        let Some(allowed) = &self.browser_hosts else { return Ok(()) };
        let host = uri.authority().map(Authority::as_str).or(text(headers.get(header::HOST)));
        // Prevents DNS rebinding: a foreign name that resolves to this machine would defeat the
        // same-origin policy.
        if let Some(host) = host.filter(|host| !is_own_host(host_of(host), allowed)) {
            return Err(Error::Forbidden(format!("the host {host:?} is not this machine's")));
        }
        let origin = text(headers.get(header::ORIGIN));
        if let Some(origin) = origin.filter(|origin| !is_own_page(origin, allowed)) {
            return Err(Error::Forbidden(format!("the origin {origin:?} is not on this machine")));
        }
        if text(headers.get(&FETCH_SITE)) == Some("cross-site") {
            let reason = "the request comes from a page of another site".to_owned();
            return Err(Error::Forbidden(reason));
        }
        Ok(())
    }
}

impl ApiToken {
    /// Creates a token. Returns `None` if `token` is empty.
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
    // A value that is not ASCII is not a valid host. Replace it with another invalid one.
    value.map(|value| value.to_str().unwrap_or("?"))
}

/// Returns the host from `host:port`, without the brackets around an IPv6 address.
fn host_of(authority: &str) -> &str {
    let parsed = authority.parse::<Authority>();
    let len = parsed.map_or(authority.len(), |authority| authority.host().len());
    authority.get(..len).unwrap_or(authority).trim_matches(['[', ']'])
}

/// Returns `true` if a host is this machine's or allowed. Any IP address is accepted, because DNS
/// rebinding needs a name.
fn is_own_host(host: &str, allowed: &[String]) -> bool {
    host.parse::<IpAddr>().is_ok() || is_own_name(host, allowed)
}

/// Returns `true` if an origin is on this machine or an allowed host.
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
    fn accepts_hosts_of_this_machine_and_allowed_ones() {
        let own = ["127.0.0.1:3500", "[::1]:3500", "10.0.0.7", "localhost", "LOCALHOST:3500"];
        for host in own.into_iter().chain(["host.docker.internal:3500", "dev.example"]) {
            assert!(browser(&[("host", host)]), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:3500", "127.0.0.1.evil.example", "?"] {
            assert!(!browser(&[("host", host)]), "{host}");
        }
        assert!(browser(&[]), "HTTP/1.0 requires no host");
    }

    #[test]
    fn rejects_pages_of_other_sites() {
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
    fn debug_hides_the_token() {
        assert_eq!(format!("{:?}", ApiToken::new("secret")), "Some(***)");
        assert!(ApiToken::new("").is_none());
    }
}
