//! HTTP bodies. Their limit, to the byte, is in `limits.rs`.

use serde_json::json;

use super::survives;
use crate::support::Sidecar;

const ALPHA1: &str = "/v1.0-alpha1/conversation/echo/converse";
const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";
const MIB: usize = 1024 * 1024;

/// A body with something in the place of the members of a format.
fn format(members: &str) -> String {
    format!(r#"{{"inputs": [{{}}], "responseFormat": {{{members}}}}}"#)
}

#[tokio::test]
async fn bodies_get_a_clear_status() {
    let sidecar = Sidecar::start();
    let deep = 10_000;
    let (open, close) = ("[".repeat(deep), "]".repeat(deep));
    let malformed = "ERR_MALFORMED_REQUEST";
    let cases: [(&str, Vec<u8>, u16, &str); 14] = [
        ("nothing", vec![], 400, "ERR_CONVERSATION_MISSING_INPUTS"),
        ("5 MiB", vec![b' '; 5 * MIB], 400, "ERR_BODY_READ"),
        ("4 MiB of nothing", vec![b' '; 4 * MIB], 400, malformed),
        ("lists, deep", format(&format!("\"a\": {open}{close}")).into(), 400, malformed),
        ("objects, deep", format(&"\"a\":{".repeat(deep)).into(), 400, malformed),
        ("half a list", open.into(), 400, malformed),
        ("no UTF-8", b"{\"inputs\": [{\"messages\": \"\xff\xfe\"}]}".into(), 400, malformed),
        ("no UTF-8 in a key", b"{\"\xc3\x28\": 1}".into(), 400, malformed),
        ("half a surrogate", br#"{"name": "\ud800"}"#.into(), 400, malformed),
        ("NaN", format("\"a\": NaN").into(), 400, malformed),
        ("infinity", format("\"a\": Infinity").into(), 400, malformed),
        ("a number without end", format("\"a\": 1e999").into(), 400, malformed),
        (
            "a oneof twice",
            br#"{"inputs": [{"messages": [{"ofUser": {}, "ofTool": {}}]}]}"#.into(),
            400,
            malformed,
        ),
        (
            "an unset oneof",
            br#"{"inputs": [{"messages": [{}]}]}"#.into(),
            400,
            "ERR_CONVERSATION_INVALID_PARMS",
        ),
    ];
    for (what, body, status, code) in cases {
        let reply = survives(&sidecar, sidecar.post(ALPHA2, body)).await;
        assert_eq!(reply.status, status, "{what}: {}", reply.body);
        assert_eq!(reply.json()["errorCode"], code, "{what}: {}", reply.body);
        assert!(reply.body.len() < 300, "{what}: {}", reply.body);
    }
}

#[tokio::test]
async fn a_body_of_four_mebibytes_is_answered() {
    let sidecar = Sidecar::start();
    let mut body =
        r#"{"inputs": [{"messages": [{"ofUser": {"content": [{"text": "hello"}]}}]}],"#.to_owned();
    body += r#""metadata": {"filler": ""#;
    body += &"x".repeat(4 * MIB - body.len() - 3);
    body += "\"}}";
    assert_eq!(body.len(), 4 * MIB);
    let reply = survives(&sidecar, sidecar.post(ALPHA2, body)).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(reply.body.contains("hello"), "{}", reply.body);
}

#[tokio::test]
async fn an_any_must_say_what_it_is() {
    let sidecar = Sidecar::start();
    let cases = [
        (json!({}), "expected '@type' field"),
        (json!({"value": "v"}), "expected '@type' field"),
        (json!({"@type": ""}), "unsupported type url ''"),
        (json!({"@type": "type.googleapis.com/"}), "message '' not found"),
        (
            json!({"@type": "type.googleapis.com/google.protobuf.Any", "value": {}}),
            "expected '@type' field",
        ),
    ];
    for (parameter, expected) in cases {
        for path in [ALPHA1, ALPHA2] {
            let body = json!({"inputs": [{}], "parameters": {"p": parameter}});
            let reply = survives(&sidecar, sidecar.post(path, body.to_string())).await;
            assert_eq!(reply.status, 400, "{parameter}: {}", reply.body);
            assert!(reply.body.contains(expected), "{parameter}: {}", reply.body);
        }
    }
}

#[tokio::test]
async fn of_keys_that_come_twice_the_last_one_counts() {
    let sidecar = Sidecar::start();
    let user = |text: &str| {
        format!(r#"{{"messages": [{{"ofUser": {{"content": [{{"text": "{text}"}}]}}}}]}}"#)
    };
    let body = format!(r#"{{"inputs": [{}], "inputs": [{}]}}"#, user("first"), user("second"));
    let reply = survives(&sidecar, sidecar.post(ALPHA2, body)).await;
    assert_eq!(reply.json()["outputs"][0]["choices"][0]["message"]["content"], "second");
}

/// Whatever takes the most memory in the fewest bytes, a MiB of it. Once the allocator has what it
/// keeps, the same again takes no more.
#[tokio::test]
async fn a_body_takes_memory_in_proportion_and_gives_it_back() {
    let sidecar = Sidecar::start();
    let many = |what: &str| what.repeat(MIB / what.len());
    let any = r#""parameters": {"p": {"value": [VALUES0], "@type": "type.googleapis.com/google.protobuf.ListValue"}}"#;
    let bodies = [
        format(&format!("\"a\": [{}1]", many("1,"))),
        format(&format!("\"a\": [{}0]", many("{},"))),
        format!(r#"{{"inputs": [{}{{}}]}}"#, many("{},")),
        format!(r#"{{"inputs": [{{}}], "tools": [{}{{}}]}}"#, many("{},")),
        format!(
            r#"{{"inputs": [{{"messages": [{}{{"ofUser": {{}}}}]}}]}}"#,
            many(r#"{"ofUser":{}},"#)
        ),
        format!(r#"{{"inputs": [{{}}], {}}}"#, any.replace("VALUES", &many("0,"))),
    ];
    for body in &bodies {
        sidecar.post(ALPHA2, body.clone()).await;
    }
    for body in bodies {
        let start = body[..60].to_owned();
        let reply = survives(&sidecar, sidecar.post(ALPHA2, body)).await;
        assert_eq!(reply.status, 200, "{start}: {}", reply.body);
        let peak = super::peak(&sidecar);
        assert!(peak < 256 * 1024, "{start}: {peak} KiB");
    }
}
