//! Cleans and decodes paths by daprd's rules.

use std::mem;

use http::{Request, Uri, uri::PathAndQuery};
use percent_encoding::percent_decode_str;

use crate::wire::error::Error;

/// Cleans the path of a request before it is routed. Returns the URI as received if it has changed.
pub(crate) fn clean<B>(request: &mut Request<B>) -> Option<Uri> {
    let clean = cleaned(request.uri())?;
    Some(mem::replace(request.uri_mut(), clean))
}

/// Returns the URI with a clean path, or `None` if the path is already clean.
fn cleaned(uri: &Uri) -> Option<Uri> {
    if !may_be_unclean(uri.path().as_bytes()) {
        return None;
    }
    let path = clean_path(uri.path());
    let path_and_query = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(path_and_query).ok()?);
    Uri::from_parts(parts).ok()
}

/// Whether a path may have empty segments, `.` or `..`. Almost no path has, so this is fast.
fn may_be_unclean(path: &[u8]) -> bool {
    let is_suspicious = |slash| matches!(path.get(slash + 1), None | Some(b'/' | b'.'));
    path.first() != Some(&b'/') || memchr::memchr_iter(b'/', path).any(is_suspicious)
}

/// Returns `true` if a path has a segment `.` or `..`.
pub(crate) fn has_dot_segments(path: &str) -> bool {
    path.split('/').any(|segment| matches!(segment, "." | ".."))
}

/// Collapses repeated slashes, resolves `.` and `..`, and removes a trailing slash.
fn clean_path(path: &str) -> String {
    let mut segments = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    format!("/{}", segments.join("/"))
}

/// Returns the path segment at `index`, unescaped like a query string: `+` stands for a space.
pub(crate) fn segment(uri: &Uri, index: usize) -> Result<String, Error> {
    let raw = memchr::memchr_iter(b'/', uri.path().as_bytes()).nth(index);
    let raw = raw.and_then(|slash| uri.path().get(slash + 1..)).unwrap_or_default();
    let raw = memchr::memchr(b'/', raw.as_bytes()).and_then(|end| raw.get(..end)).unwrap_or(raw);
    if !raw.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Ok(raw.to_owned());
    }
    let malformed = || Error::MalformedPath(raw.to_owned());
    if !has_valid_escapes(raw) {
        return Err(malformed());
    }
    let spaced = raw.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    decoded.map(|name| name.into_owned()).map_err(|_| malformed())
}

fn has_valid_escapes(raw: &str) -> bool {
    let is_hex = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let after_percent = raw.split('%').skip(1).map(str::as_bytes);
    after_percent.into_iter().all(|after| is_hex(after.first()) && is_hex(after.get(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unescaped(raw: &str) -> Option<String> {
        let uri = format!("/v/{raw}").parse().unwrap();
        segment(&uri, 1).ok()
    }

    #[test]
    fn cleans_paths_like_go() {
        let cases = [
            ("/", "/"),
            ("/a/b", "/a/b"),
            ("/a/b/", "/a/b"),
            ("//a///b", "/a/b"),
            ("/a/./b/../c", "/a/c"),
            ("/../a", "/a"),
        ];
        for (path, expected) in cases {
            assert_eq!(clean_path(path), expected, "{path}");
        }
    }

    #[test]
    fn cleaning_keeps_the_query() {
        let uri = "/v1.0//healthz/?appid=x".parse().unwrap();
        assert_eq!(cleaned(&uri).unwrap(), "/v1.0/healthz?appid=x");
    }

    #[test]
    fn unescapes_names_like_a_query() {
        assert_eq!(unescaped("we-ird%2Bx").as_deref(), Some("we-ird+x"));
        assert_eq!(unescaped("we-ird+x").as_deref(), Some("we-ird x"));
        assert_eq!(unescaped("a%2Fb").as_deref(), Some("a/b"));
        assert_eq!(unescaped("%E2%82%AC").as_deref(), Some("€"));
    }

    #[test]
    fn rejects_invalid_escapes() {
        for raw in ["%zz", "%", "a%2", "%ff"] {
            assert_eq!(unescaped(raw), None, "{raw}");
        }
    }
}
