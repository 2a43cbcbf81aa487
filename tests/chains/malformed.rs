//! Tests of texts that look like chains, but are not.

use serde_json::json;
use tonic::Code;

use super::{chain, content, failure, scripted, tagged, text};
use crate::support::{
    Sidecar,
    messages::{request, user},
};

const START: &str = "<|instruction_start|>";
const END: &str = "<|instruction_end|>";
const BETWEEN: &str = "the text between <|instruction_start|> and <|instruction_end|>";
const INSERT_LATER: &str = "insert the chain after the prompt has been escaped";

#[tokio::test]
async fn rejects_malformed_chains_with_their_place() {
    let escaped = |quote: &str| tagged(&text("A").to_string().replace('"', quote));
    let quotes = |quote: &str| {
        format!("{BETWEEN} is not JSON: its quotes are escaped as {quote}; {INSERT_LATER}")
    };
    let first = |escape: &str| {
        format!("the first character of {START} is escaped as {escape}; {INSERT_LATER}")
    };
    let older = chain(json!([text("older")]));
    let sidecar = scripted("");
    for (message, expected) in [
        (tagged("oops"), format!("{BETWEEN} is not JSON: expected value at line 1 column 1")),
        (tagged("[1]"), format!("{BETWEEN} is not a JSON object")),
        (
            user(&format!("é {START}{{}}")),
            format!("the tag {START} at character 3 has no matching {END}"),
        ),
        (escaped("\\\""), quotes("\\\"")),
        (escaped("\\\\\\\""), quotes("\\\"")),
        (escaped("&quot;"), quotes("&quot;")),
        (user(r"Go \u003c|instruction_start|\u003e{}"), first(r"\u003c")),
        (user("Go &lt;|instruction_start|&gt;{}"), first("&lt;")),
    ] {
        let (code, reason) = failure(&sidecar, request([older.clone(), message])).await;
        let expected = format!("chain in message 2: {expected}");
        assert_eq!((code, reason), (Code::InvalidArgument, expected));
    }
}

#[tokio::test]
async fn uses_a_valid_chain_before_something_malformed() {
    let sidecar = scripted("");
    let valid = text("valid");
    for message in [
        format!("{START}{valid}{END}{START}oops{END}"),
        format!("{START}{valid}{END}{START}"),
        format!("{START}{valid}{END} &lt;|instruction_start|&gt;"),
    ] {
        let history = [tagged("oops"), user(&message), user("plain")];
        assert_eq!(content(&sidecar, history).await, "valid", "{message}");
    }
}

#[tokio::test]
async fn skips_malformed_chains_on_request() {
    let sidecar = scripted("{name: onMalformed, value: fallback}");
    let good = chain(json!([text("good"), text("better")]));
    let (code, _) = failure(&sidecar, request([good.clone(), tagged("{}")])).await;
    assert_eq!(code, Code::InvalidArgument);
    let open = user(&format!("{START}{{}}"));
    let escaped = user("&lt;|instruction_start|&gt;");
    let history = [good.clone(), tagged("{"), tagged("[]"), open, escaped];
    assert_eq!(content(&sidecar, history).await, "good");
    let next_block = user(&format!("{START}oops{END}{START}{}{END}", text("second block")));
    assert_eq!(content(&sidecar, [good, next_block]).await, "second block");
}

#[tokio::test]
async fn echo_rejects_malformed_chains_only_if_it_follows_chains() {
    let echo = |metadata: &str| {
        Sidecar::with_components(&format!(
            "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: echo}}\n\
             spec: {{type: conversation.echo, metadata: [{metadata}]}}\n"
        ))
    };
    let request = request([tagged("oops")]);
    let (code, _) = failure(&echo("{name: chains, value: true}"), request.clone()).await;
    assert_eq!(code, Code::InvalidArgument);
    assert!(echo("").converse(request).await.unwrap().content.contains("oops"));
}
