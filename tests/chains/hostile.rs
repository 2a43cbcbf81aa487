//! Tests with chains that try to exhaust the server. These tests finish only if each text is read
//! in linear time and without recursion.

use serde_json::json;
use tonic::Code;

use super::{chain, content, failure, scripted, tagged, text};
use crate::support::messages::{request, system, user};

const START: &str = "<|instruction_start|>";
const END: &str = "<|instruction_end|>";
const MEBIBYTE: usize = 1 << 20;

#[tokio::test]
async fn answers_a_mebibyte_of_tags_as_text() {
    let sidecar = scripted("{name: onMalformed, value: fallback}");
    let strict = scripted("");
    let broken = format!("{START}x{END}");
    for hostile in [
        START.repeat(MEBIBYTE / START.len()),
        START.repeat(MEBIBYTE / 40) + &END.repeat(MEBIBYTE / 40),
        END.repeat(MEBIBYTE / END.len()),
        broken.repeat(MEBIBYTE / broken.len()),
        "<|instruction_".repeat(MEBIBYTE / 14),
    ] {
        assert!(content(&sidecar, [user(&hostile)]).await == hostile);
        if hostile.starts_with(START) {
            let (code, _) = failure(&strict, request([user(&hostile)])).await;
            assert_eq!(code, Code::InvalidArgument);
        }
    }
    let escaped = "\\u003c|instruction_start|".repeat(MEBIBYTE / 27);
    assert!(content(&sidecar, [user(&escaped)]).await == escaped);
    let history = vec![tagged("x"); 20_000];
    let with_a_chain = [vec![chain(json!([text("found")]))], history].concat();
    assert_eq!(content(&sidecar, with_a_chain).await, "found");
}

#[tokio::test]
async fn answers_with_a_mebibyte_of_nested_json() {
    let sidecar = scripted("{name: onMalformed, value: fallback}");
    let deep = "[".repeat(MEBIBYTE / 2) + &"]".repeat(MEBIBYTE / 2);
    let step = format!(r#"{{"messages":[{{"json":{deep}}}]}}"#);
    assert!(content(&sidecar, [tagged(&step)]).await == deep);
    let unclosed = "[".repeat(MEBIBYTE);
    assert!(content(&sidecar, [tagged(&unclosed)]).await.contains(&unclosed));
    let objects = r#"{"messages":"#.repeat(MEBIBYTE / 12) + "1" + &"}".repeat(MEBIBYTE / 12);
    let (code, message) = failure(&sidecar, request([tagged(&objects)])).await;
    assert_eq!(code, Code::InvalidArgument);
    assert_eq!(message, "chain in message 1, step 1, messages: must be a list, not an object");
}

#[tokio::test]
async fn answers_chains_with_very_many_parts() {
    let sidecar = scripted("");
    let keys: Vec<_> = (0..100_000).map(|n| format!(r#""{n}":0"#)).collect();
    let step = tagged(&format!("{{{}}}", keys.join(",")));
    let (_, message) = failure(&sidecar, request([step])).await;
    assert!(
        message.starts_with("chain in message 1, step 1: unknown key `0`; expected one of `id`,")
    );
    let empty = vec![json!({"text": ""}); 50_000];
    let answer = content(&sidecar, [chain(json!([{"messages": empty}]))]).await;
    assert!(answer == "\n\n".repeat(49_999));
    let steps: Vec<_> = (0..10_000).map(|n| text(&n.to_string())).collect();
    assert_eq!(content(&sidecar, [chain(steps.into())]).await, "0");
    let notes = vec![system(""); 100_000];
    let results = vec![json!({"tool_results": {}}); 20_000];
    let history = [vec![chain(json!([{"messages": results}]))], notes].concat();
    assert!(content(&sidecar, history).await == "\n\n".repeat(19_999));
    let schemas = vec![json!({"tool_schema": {"name": "none"}}); 30_000];
    let answer = content(&sidecar, [chain(json!([{"messages": schemas}]))]).await;
    assert!(answer.starts_with("Tool 'none' not found\n\nTool 'none'"));
}
