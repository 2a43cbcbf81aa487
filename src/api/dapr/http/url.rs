//! daprd's rules for paths.

use http::{Request, Uri, uri::PathAndQuery};
use percent_encoding::percent_decode_str;

use crate::wire::error::Error;

/// Cleans the path of a request before it is routed.
pub(super) fn clean<B>(request: &mut Request<B>) {
    if let Some(uri) = cleaned(request.uri()) {
        *request.uri_mut() = uri;
    }
}

/// `None` for what is clean already.
fn cleaned(uri: &Uri) -> Option<Uri> {
    let is_clean = |segment: &str| !matches!(segment, "" | "." | "..");
    if uri.path().strip_prefix('/').is_some_and(|path| path.split('/').all(is_clean)) {
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

/// `//` is `/`, `.` and `..` are resolved, a slash at the end goes.
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

/// The path segment at `index`, unescaped as a query: `+` is a space.
pub(super) fn segment(uri: &Uri, index: usize) -> Result<String, Error> {
    let raw = uri.path().split('/').skip(1).nth(index).unwrap_or_default();
    let malformed = || Error::MalformedPath(raw.to_owned());
    if !escapes_are_whole(raw) {
        return Err(malformed());
    }
    let spaced = raw.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    decoded.map(|name| name.into_owned()).map_err(|_| malformed())
}

fn escapes_are_whole(raw: &str) -> bool {
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
    fn paths_are_cleaned_as_go_does() {
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
    fn the_query_stays() {
        let uri = "/v1.0//healthz/?appid=x".parse().unwrap();
        assert_eq!(cleaned(&uri).unwrap(), "/v1.0/healthz?appid=x");
    }

    #[test]
    fn names_are_unescaped_as_a_query() {
        assert_eq!(unescaped("we-ird%2Bx").as_deref(), Some("we-ird+x"));
        assert_eq!(unescaped("we-ird+x").as_deref(), Some("we-ird x"));
        assert_eq!(unescaped("a%2Fb").as_deref(), Some("a/b"));
        assert_eq!(unescaped("%E2%82%AC").as_deref(), Some("€"));
    }

    #[test]
    fn broken_escapes_are_refused() {
        for raw in ["%zz", "%", "a%2", "%ff"] {
            assert_eq!(unescaped(raw), None, "{raw}");
        }
    }
}
