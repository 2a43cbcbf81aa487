//! Headers of forwarded HTTP requests and responses.

use std::net::IpAddr;

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{
        CONNECTION, EXPECT, HOST, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRANSFER_ENCODING,
        UPGRADE,
    },
};

/// Headers that belong to one connection (RFC 9110, section 7.6.1).
static HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRANSFER_ENCODING,
    UPGRADE,
    // hyper has already answered it.
    EXPECT,
];
static FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
static FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
static FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Removes the headers that belong to one connection, but keeps a request to upgrade it, or the
/// consent to one.
pub(super) fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let upgrade = upgrade(headers);
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
    if let Some(protocol) = upgrade {
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(UPGRADE, protocol);
    }
}

/// Returns the protocol that a connection is to be upgraded to. An upgrade to HTTP/2 does not count:
/// HTTP/2 needs no upgrade here.
pub(super) fn upgrade(headers: &HeaderMap) -> Option<HeaderValue> {
    let connection = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let mut options = connection.flat_map(|value| value.split(','));
    let is_wanted = options.any(|option| option.trim().eq_ignore_ascii_case("upgrade"));
    let protocol = headers.get(UPGRADE).filter(|_| is_wanted)?;
    (!protocol.as_bytes().eq_ignore_ascii_case(b"h2c")).then(|| protocol.clone())
}

/// Adds the headers that tell where a request comes from. Removes its host, which is mynah's.
pub(super) fn add_forwarded(headers: &mut HeaderMap, client: Option<IpAddr>) {
    if let Some(client) = client.map(|client| client.to_string()) {
        let earlier = headers.get(&FORWARDED_FOR).and_then(|value| value.to_str().ok());
        let chain = earlier.map_or(client.clone(), |earlier| format!("{earlier}, {client}"));
        if let Ok(chain) = HeaderValue::try_from(chain) {
            headers.insert(&FORWARDED_FOR, chain);
        }
    }
    headers.entry(&FORWARDED_PROTO).or_insert(HeaderValue::from_static("http"));
    if let Some(host) = headers.remove(HOST) {
        headers.entry(&FORWARDED_HOST).or_insert(host);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let header = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        lines.iter().map(header).collect()
    }

    fn without_hops(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = headers(lines);
        remove_hop_by_hop(&mut headers);
        headers
    }

    #[test]
    fn removes_headers_of_one_connection() {
        let kept = without_hops(&[
            ("connection", "keep-alive, X-Private"),
            ("keep-alive", "timeout=5"),
            ("x-private", "1"),
            ("transfer-encoding", "chunked"),
            ("te", "trailers"),
            ("x-public", "2"),
        ]);
        assert_eq!(kept, headers(&[("x-public", "2")]));
    }

    #[test]
    fn keeps_upgrades_except_to_http2() {
        let upgrade = [("connection", "keep-alive, Upgrade"), ("upgrade", "websocket")];
        let kept = headers(&[("connection", "upgrade"), ("upgrade", "websocket")]);
        assert_eq!(without_hops(&upgrade), kept);
        let h2c = [("connection", "upgrade, http2-settings"), ("upgrade", "h2c")];
        assert!(without_hops(&h2c).is_empty());
        assert!(without_hops(&[("upgrade", "websocket")]).is_empty());
    }

    #[test]
    fn tells_where_a_request_comes_from() {
        let client = Some("10.0.0.7".parse().unwrap());
        let mut direct = headers(&[("host", "sidecar:3500")]);
        add_forwarded(&mut direct, client);
        let expected = headers(&[
            ("x-forwarded-for", "10.0.0.7"),
            ("x-forwarded-proto", "http"),
            ("x-forwarded-host", "sidecar:3500"),
        ]);
        assert_eq!(direct, expected);
        add_forwarded(&mut direct, client);
        assert_eq!(direct["x-forwarded-for"], "10.0.0.7, 10.0.0.7");
        assert_eq!(direct["x-forwarded-host"], "sidecar:3500");
    }
}
