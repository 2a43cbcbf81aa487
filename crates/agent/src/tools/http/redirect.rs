//! Follows a redirect.

use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Uri,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
};
use http_body_util::Full;

/// Returns the request to which a response redirects. Another host does not get the headers, which
/// may be secret.
pub fn redirected(
    request: Request<Full<Bytes>>,
    status: u16,
    location: &HeaderValue,
) -> Result<Request<Full<Bytes>>, String> {
    let text = location.to_str().unwrap_or_default();
    let unsupported = || format!("unsupported redirect to {text:?}");
    let target: Uri = text.parse().map_err(|_| unsupported())?;
    let (mut head, body) = request.into_parts();
    let is_relative = target.authority().is_none();
    if is_relative && !text.starts_with('/') {
        return Err(unsupported());
    }
    let mut parts = target.into_parts();
    if is_relative {
        let own = head.uri.clone().into_parts();
        (parts.scheme, parts.authority) = (own.scheme, own.authority);
    } else if parts.authority.as_ref() != head.uri.authority()
        || parts.scheme.as_ref() != head.uri.scheme()
    {
        head.headers.clear();
    }
    head.uri = Uri::from_parts(parts).map_err(|_| unsupported())?;
    let keeps_method = matches!(status, 307 | 308);
    if keeps_method || head.method == Method::GET {
        return Ok(Request::from_parts(head, body));
    }
    head.method = Method::GET;
    head.headers.remove(CONTENT_TYPE);
    head.headers.remove(CONTENT_LENGTH);
    Ok(Request::from_parts(head, Full::default()))
}
