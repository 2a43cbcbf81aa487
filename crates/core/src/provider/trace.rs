//! The trace to which a call belongs, as [W3C Trace Context] defines it.
//!
//! [W3C Trace Context]: https://www.w3.org/TR/trace-context/

/// The length of a header of version 00. Later versions may have more behind it.
const LENGTH: usize = 55;

/// The trace to which a call belongs, and the span that made the call.
///
/// ```
/// use mynah_core::provider::trace::TraceContext;
/// let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/// let trace = TraceContext::parse(header).ok_or("invalid")?;
/// assert_eq!(trace.trace_id(), "0af7651916cd43dd8448eb211c80319c");
/// assert_eq!(trace.parent_id(), "b7ad6b7169203331");
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    /// The checked header without what later versions add.
    header: Box<str>,
}

impl TraceContext {
    /// Reads the header `traceparent`. Returns `None` if it is invalid, and so has to be ignored.
    pub fn parse(header: &str) -> Option<Self> {
        let (known, more) = header.split_at_checked(LENGTH)?;
        let is_known_version = known.starts_with("00-");
        if !(more.is_empty() || (more.starts_with('-') && !is_known_version)) {
            return None;
        }
        let parts: Vec<_> = known.split('-').collect();
        let [version, trace_id, parent_id, flags] = parts[..] else { return None };
        let is_valid = is_hex(version, 2)
            && version != "ff"
            && is_id(trace_id, 32)
            && is_id(parent_id, 16)
            && is_hex(flags, 2);
        is_valid.then(|| Self { header: known.into() })
    }

    /// Returns the id of the trace, 32 hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        &self.header[3..35]
    }

    /// Returns the id of the span that made the call, 16 hexadecimal digits.
    pub fn parent_id(&self) -> &str {
        &self.header[36..52]
    }
}

fn is_hex(text: &str, length: usize) -> bool {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == length && text.bytes().all(is_digit)
}

/// Returns `true` for an id. Ids of zeros are invalid.
fn is_id(text: &str, length: usize) -> bool {
    is_hex(text, length) && text.bytes().any(|byte| byte != b'0')
}

#[cfg(test)]
mod tests {
    use super::TraceContext;

    #[test]
    fn ignores_invalid_headers() {
        let (trace, parent) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
        let is_valid = |header: String| TraceContext::parse(&header).is_some();
        assert!(is_valid(format!("00-{trace}-{parent}-00")));
        assert!(is_valid(format!("cc-{trace}-{parent}-01-what-comes-later")));
        for header in [
            String::new(),
            format!("00-{trace}-{parent}-01-more"),
            format!("cc-{trace}-{parent}-01.more"),
            format!("ff-{trace}-{parent}-01"),
            format!("00-{}-{parent}-01", trace.to_uppercase()),
            format!("00-{}-{parent}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-{parent}-{trace}-01"),
            format!("00-{trace}_{parent}-01"),
            format!("00-{trace}-{parent}-é"),
        ] {
            assert!(!is_valid(header.clone()), "{header}");
        }
    }
}
