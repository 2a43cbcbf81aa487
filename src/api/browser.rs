//! Rejects requests that a browser sends on behalf of a page of another site.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use http::{
    HeaderMap, HeaderName, Uri,
    header::{HOST, ORIGIN},
    uri::Authority,
};

use crate::wire::error::Error;

/// The header in which a browser says whether the page and the server belong to the same site.
static FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The values of that header for pages of the same site, and for requests that no page makes.
const OWN_SITES: [&str; 3] = ["same-origin", "same-site", "none"];

/// The names by which a sidecar may be called. IP addresses are not names.
#[derive(Debug, Clone, Default)]
pub struct Hosts {
    /// Names in addition to those of this machine.
    pub allowed: Vec<String>,
    /// Whether programs may use any name, since a server that other machines can reach may have any
    /// name. Browsers may not: a foreign name that resolves to this machine (DNS rebinding) would
    /// defeat the same-origin policy.
    pub any_for_programs: bool,
}

impl Hosts {
    /// Rejects a request on behalf of a page of another site, and one whose headers contradict each
    /// other.
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Error> {
        let sender = Sender::read(headers)?;
        let target = sender.target(uri)?;
        let is_program = sender.origin.is_none() && sender.site.is_none();
        if let Some(target) = target.filter(|target| !self.is_own_host(target))
            && !(is_program && self.any_for_programs)
        {
            return Err(Error::Forbidden(format!("the host {target:?} is not this machine's")));
        }
        if let Some(origin) = sender.origin.filter(|origin| !self.is_own_page(origin, target)) {
            return Err(Error::Forbidden(format!("the origin {origin:?} is not on this machine")));
        }
        if sender.site.is_some_and(|site| !OWN_SITES.contains(&site)) {
            let reason = "the request comes from a page of another site".to_owned();
            return Err(Error::Forbidden(reason));
        }
        Ok(())
    }

    /// Returns `true` if a host is an IP address, this machine's or allowed. DNS rebinding needs a
    /// name.
    fn is_own_host(&self, authority: &str) -> bool {
        // Most programs use an IP address with a port.
        if authority.parse::<SocketAddr>().is_ok() {
            return true;
        }
        let host = host_of(authority);
        host.parse::<IpAddr>().is_ok() || self.is_own_name(host)
    }

    /// Returns `true` if a page is on this machine, on an allowed host, or the server's own.
    fn is_own_page(&self, origin: &str, target: Option<&str>) -> bool {
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let default_port = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return false,
        };
        let host = host_of(authority);
        host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
            || self.is_own_name(host)
            || target.is_some_and(|target| is_same(target, authority, default_port))
    }

    fn is_own_name(&self, host: &str) -> bool {
        let same = |name: &str| name.eq_ignore_ascii_case(host);
        let is_allowed = || self.allowed.iter().any(|name| same(name));
        same("localhost") || same("host.docker.internal") || is_allowed()
    }
}

/// The headers that tell where a request comes from.
#[derive(Default)]
struct Sender<'a> {
    host: Option<&'a str>,
    origin: Option<&'a str>,
    site: Option<&'a str>,
}

impl<'a> Sender<'a> {
    /// Reads the headers in one pass, which is cheaper than looking each up.
    fn read(headers: &'a HeaderMap) -> Result<Self, Error> {
        let mut sender = Self::default();
        for (name, value) in headers {
            let (field, repeated) = if *name == HOST {
                (&mut sender.host, "more than one Host header")
            } else if *name == ORIGIN {
                (&mut sender.origin, "more than one Origin header")
            } else if *name == FETCH_SITE {
                (&mut sender.site, "more than one Sec-Fetch-Site header")
            } else {
                continue;
            };
            // A value that is not ASCII is not a valid host. Replace it with another invalid one.
            if field.replace(value.to_str().unwrap_or("?")).is_some() {
                return Err(Error::AmbiguousHeaders(repeated));
            }
        }
        Ok(sender)
    }

    /// Returns the host that a request names: in its URI, in the Host header, or the same in both.
    fn target(&self, uri: &'a Uri) -> Result<Option<&'a str>, Error> {
        let Some(authority) = uri.authority().map(Authority::as_str) else { return Ok(self.host) };
        let default_port = if uri.scheme_str() == Some("https") { 443 } else { 80 };
        if self.host.is_some_and(|host| !is_same(host, authority, default_port)) {
            let reason = "a Host header that is not the host of its URI";
            return Err(Error::AmbiguousHeaders(reason));
        }
        Ok(Some(authority))
    }
}

/// Returns `true` if two texts name the same host and port.
fn is_same(one: &str, other: &str, default_port: u16) -> bool {
    let [host, other_host] = [one, other].map(host_of);
    let [one, other] = [one, other].map(|text| text.parse::<Authority>().ok());
    let (Some(one), Some(other)) = (one, other) else { return false };
    let [port, other_port] = [&one, &other].map(|it| it.port_u16().unwrap_or(default_port));
    host.eq_ignore_ascii_case(other_host) && port == other_port
}

/// Returns the host from `host:port`, without the brackets around an IPv6 address. Text with anything
/// else, such as a user name, is returned as a whole, which is not a host.
fn host_of(authority: &str) -> &str {
    let parsed = authority.parse::<Authority>();
    let len = parsed.map_or(authority.len(), |authority| authority.host().len());
    let Some((host, port)) = authority.split_at_checked(len) else { return authority };
    let is_digits = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    if authority.contains('@')
        || !(port.is_empty() || port.strip_prefix(':').is_some_and(is_digits))
    {
        return authority;
    }
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    bare.filter(|bare| bare.parse::<Ipv6Addr>().is_ok()).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    type Headers<'a> = &'a [(&'static str, &'static str)];

    /// Returns the status of the answer; 200 if the request is accepted.
    fn check(any_for_programs: bool, uri: &'static str, headers: Headers<'_>) -> u16 {
        let hosts = Hosts { allowed: vec!["dev.example".to_owned()], any_for_programs };
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        let result = hosts.check(&Uri::from_static(uri), &map);
        result.map_or_else(
            |error| crate::wire::error::HttpError::from(&error).status.as_u16(),
            |()| 200,
        )
    }

    fn local(headers: Headers<'_>) -> u16 {
        check(false, "/v1.0/shutdown", headers)
    }

    fn exposed(headers: Headers<'_>) -> u16 {
        check(true, "/v1.0/shutdown", headers)
    }

    #[test]
    fn accepts_hosts_of_this_machine_and_allowed_ones() {
        let own = ["127.0.0.1:3500", "[::1]:3500", "10.0.0.7", "localhost", "LOCALHOST:3500"];
        for host in own.into_iter().chain(["host.docker.internal:3500", "dev.example"]) {
            assert_eq!([local(&[("host", host)]), exposed(&[("host", host)])], [200; 2], "{host}");
        }
        let foreign =
            ["evil.example", "localhost.evil.example:3500", "127.0.0.1.evil.example", "?"];
        let odd =
            ["localhost@evil.exam", "a@localhost", "", "[::1].evil.example:3500", "[localhost]"];
        for host in foreign.into_iter().chain(odd) {
            assert_eq!(
                [local(&[("host", host)]), exposed(&[("host", host)])],
                [403, 200],
                "{host}"
            );
        }
        assert_eq!(local(&[]), 200, "HTTP/1.0 requires no host");
    }

    #[test]
    fn rejects_pages_of_other_sites() {
        let host = ("host", "localhost:3500");
        for origin in ["http://localhost:8080", "http://127.0.0.1", "https://dev.example"] {
            let headers = [host, ("origin", origin)];
            assert_eq!([local(&headers), exposed(&headers)], [200; 2], "{origin}");
        }
        for origin in
            ["https://evil.example", "http://203.0.113.5", "null", "file://", "app://localhost"]
                .into_iter()
                .chain(["http://[::1].evil.example", "http://[::1].evil.example:3500"])
                .chain(["http://[localhost]", "http://localhost]", "http://::1].evil.example"])
        {
            let headers = [host, ("origin", origin)];
            assert_eq!([local(&headers), exposed(&headers)], [403; 2], "{origin}");
        }
        for (site, status) in [("same-origin", 200), ("none", 200), ("cross-site", 403), ("", 403)]
        {
            let headers = [host, ("sec-fetch-site", site)];
            assert_eq!([local(&headers), exposed(&headers)], [status; 2], "{site}");
        }
        let twice = [host, ("sec-fetch-site", "none"), ("sec-fetch-site", "cross-site")];
        assert_eq!(local(&twice), 400);
    }

    #[test]
    fn compares_the_origin_with_the_host() {
        let host = ("host", "192.0.2.7:3500");
        for (origin, status) in [
            ("http://192.0.2.7:3500", 200),
            ("http://192.0.2.7", 403),
            ("http://192.0.2.8:3500", 403),
        ] {
            assert_eq!(exposed(&[host, ("origin", origin)]), status, "{origin}");
        }
        let own = [("host", "[::1]:3500"), ("origin", "http://[::1].evil.example:3500")];
        assert_eq!([local(&own), exposed(&own)], [403; 2]);
        let without_port = [("host", "192.0.2.7"), ("origin", "http://192.0.2.7:80")];
        assert_eq!(exposed(&without_port), 200);
    }

    /// A page of evil.example calls its own origin, whose name now resolves to this machine.
    #[test]
    fn rejects_names_that_were_bound_to_this_machine() {
        let host = ("host", "evil.example:3500");
        let origin = ("origin", "http://evil.example:3500");
        let site = ("sec-fetch-site", "same-origin");
        assert_eq!([exposed(&[host, origin]), exposed(&[host, site])], [403; 2]);
    }

    #[test]
    fn rejects_headers_that_contradict_each_other() {
        let host = ("host", "localhost:3500");
        let origin = ("origin", "http://localhost");
        for headers in [[host, host, origin], [host, origin, origin]] {
            assert_eq!([local(&headers), exposed(&headers)], [400; 2], "{headers:?}");
        }
        for (uri, status) in [
            ("http://localhost:3500/", 200),
            ("http://LOCALHOST:3500/", 200),
            ("http://localhost/", 400),
            ("http://127.0.0.1:3500/", 400),
            ("http://evil.example/", 400),
        ] {
            assert_eq!(check(true, uri, &[host]), status, "{uri}");
        }
        assert_eq!(check(true, "http://localhost/", &[("host", "localhost:80")]), 200);
        assert_eq!(check(false, "http://evil.example/", &[]), 403);
    }
}
