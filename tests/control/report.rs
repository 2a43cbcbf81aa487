//! What happened in a session, in words.

use serde_json::json;

use super::verify::say;
use crate::support::{
    Sidecar,
    messages::{request, tool, user},
};

async fn report(sidecar: &Sidecar, session: &str) -> String {
    let reply = sidecar.get(&format!("/mynah/v1/report?session={session}")).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let duration = |line: &str| match (line.split_once(", "), line.split_once(" ms, ")) {
        (Some((call, _)), Some((_, by))) => format!("{call}, * ms, {by}"),
        _ => line.to_owned(),
    };
    reply.body.lines().map(duration).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn shows_calls_and_the_nearest_rules() {
    let sidecar = Sidecar::start();
    let rules = json!({"rules": [
        {"name": "weather", "match": {"user": "weather"}, "respond": "It is\nsunny."},
        {"name": "fails", "match": {"user": "fail"}, "respond": {"error": {"code": "ABORTED"}}},
    ]});
    sidecar.post("/mynah/v1/rules?session=a", rules.to_string()).await;
    say(&sidecar, "a", &["How is the weather?", "wether", "fail", "Bearer abcdefghijk"]).await;
    insta::assert_snapshot!(report(&sidecar, "a").await, @r#"
    session "a" has 4 calls
    call 1 to echo (ok, * ms, weather)
      user: How is the weather?
      answer: It is
          sunny.
    call 2 to echo (ok, * ms, no rule)
      user: wether
      answer: wether
      the nearest is rule "weather" of session a:
        user: expected a text that contains "weather"
              the call has "wether"
    call 3 to echo (failed, * ms, fails)
      user: fail
      error: ABORTED: failed conversing with component echo: scripted ABORTED
    call 4 to echo (ok, * ms, no rule)
      user: Bearer [redacted]
      answer: Bearer [redacted]
      the nearest is rule "weather" of session a:
        user: expected a text that contains "weather"
              the call has "Bearer [redacted]"
    "#);
    assert_eq!(report(&sidecar, "b").await, "session \"b\" has 0 calls");
}

#[tokio::test]
async fn shows_tools_and_their_calls() {
    let sidecar = Sidecar::start();
    let mut call = request([user("Look up 'tea'")]);
    call.tools.push(tool(
        "look_up",
        json!({"type": "object", "properties": {"word": {"type": "string"}}}),
    ));
    sidecar.converse(call).await.unwrap();
    insta::assert_snapshot!(report(&sidecar, "default").await, @r#"
    session "default" has 1 call
    call 1 to echo (ok, * ms, no rule)
      user: Look up 'tea'
      tools: look_up
      answer: calls look_up with {"word":"tea"}
    "#);
}

#[tokio::test]
async fn is_bounded() {
    let sidecar = Sidecar::start();
    let text = "word\u{1b}".repeat(1_000);
    let texts = vec![text.as_str(); 30];
    say(&sidecar, "a", &texts).await;
    let report = report(&sidecar, "a").await;
    assert!(report.starts_with("session \"a\" has 30 calls; the last 20 are"), "{report}");
    assert_eq!(report.matches("\ncall ").count(), 20);
    assert!(report.len() < 60_000 && !report.contains('\u{1b}'), "{}", report.len());
}
