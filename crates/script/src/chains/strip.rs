//! Removes chains from requests.

use std::sync::Arc;

use mynah_core::chat::{Request, Role};

use super::{active_chain::chain_ranges, tags};

/// Returns the request without its chains and their tags.
pub(crate) fn without_chains(request: &Arc<Request>) -> Arc<Request> {
    let mut stripped = Request::clone(request);
    for message in &mut stripped.messages {
        if matches!(message.role, Role::User) {
            message.parts.iter_mut().for_each(strip);
        }
    }
    stripped.into()
}

fn strip(text: &mut String) {
    let (mut stripped, mut end) = (String::new(), 0);
    for chain in chain_ranges(text) {
        stripped += &text[end..chain.start - tags::START.len()];
        end = chain.end + tags::END.len();
    }
    if end > 0 {
        stripped += &text[end..];
        *text = stripped;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_chains_but_no_other_blocks() {
        let chain = format!("{}{{\"delay\":\"1s\"}}{}", tags::START, tags::END);
        let other = format!("{}oops{}", tags::START, tags::END);
        let mut text = format!("a {chain} b {other}{chain}c");
        strip(&mut text);
        assert_eq!(text, format!("a  b {other}c"));
        let mut plain = "plain".to_owned();
        strip(&mut plain);
        assert_eq!(plain, "plain");
    }
}
