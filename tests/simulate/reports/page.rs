//! report.html.

use mynah::simulate::{EndReason, MadeCall, ParticipantRole, UnsentCall, analyse};

use super::{conversation, from_recording, html, report, simulated, support, texts};

#[tokio::test]
async fn the_page_needs_no_other_file_and_no_network() {
    let page = html(&report(100, from_recording).await);
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    for reference in ["<script", "<link rel=\"stylesheet", "src=", "@import", "url(", "<iframe"] {
        assert!(!page.contains(reference), "{reference}");
    }
    // The namespace of SVG is the only URL.
    assert_eq!(
        page.matches("http").count(),
        page.matches("http://www.w3.org/2000/svg").count() + 1
    );
    assert_eq!(page.matches("<svg").count(), 4);
    assert!(page.contains("All 100 conversations."));
}

#[tokio::test]
async fn shows_at_most_200_conversations_spread_over_the_outcomes() {
    let page = html(&report(1_000, support).await);
    assert_eq!(page.matches("<details class=\"talk\"").count(), 200);
    assert!(page.contains("200 of 1\u{202f}000 conversations, spread over the outcomes."));
    for group in 0..4 {
        assert_eq!(page.matches(&format!("data-group=\"{group}\"")).count(), 50 + 1);
    }
    for name in
        ["resolved <b>50 of 600</b>", "escalated <b>50 of 200</b>", "failed <b>50 of 100</b>"]
    {
        assert!(page.contains(name), "{name}");
    }
}

#[tokio::test]
async fn outcomes_with_the_name_of_a_group_are_quoted() {
    let play = |index| {
        let outcome = [Some("failed"), Some("no outcome"), None][index % 3];
        let mut result = simulated(index, conversation(&texts(2), outcome));
        if index == 3 {
            result.result.end_reason = EndReason::ParticipantError;
        }
        result
    };
    let folder = report(7, play).await;
    let page = html(&folder);
    for group in [
        "outcome &quot;no outcome&quot; <b>2",
        "outcome &quot;failed&quot; <b>2",
        ">no outcome <b>2",
        ">failed <b>1",
    ] {
        assert!(page.contains(group), "{group}");
    }
    let summary = analyse(&folder, None).await.unwrap().to_string();
    for row in ["outcome \"no outcome\" ", "outcome \"failed\" ", "no outcome "] {
        assert_eq!(summary.lines().filter(|line| line.starts_with(row)).count(), 1, "{summary}");
    }
}

#[tokio::test]
async fn texts_are_escaped() {
    const EVIL: &str = "</p><script>alert(\"1\")</script>&amp;<!--'\u{1b}\0";
    let play = |index| {
        let mut result = simulated(index, conversation(&[EVIL.to_owned()], Some(EVIL)));
        result.id = EVIL.to_owned();
        result.scenario = EVIL.to_owned();
        result.result.error = Some(EVIL.to_owned());
        let call =
            MadeCall { name: EVIL.to_owned(), arguments: EVIL.to_owned(), result: EVIL.to_owned() };
        result.result.conversation.messages[0].tool_calls.push(call);
        result
    };
    let page = html(&report(2, play).await);
    assert!(!page.contains("<script") && !page.contains("<!--"));
    assert!(!page.contains(['\0', '\u{1b}']));
    assert!(page.contains("&lt;script&gt;alert("));
}

#[tokio::test]
async fn long_conversations_are_shortened() {
    let play = |index| {
        let mut texts = texts(1_000);
        texts[0] = "long ".repeat(10_000);
        simulated(index, conversation(&texts, None))
    };
    let page = html(&report(1, play).await);
    assert!(page.contains(">940 more messages<"));
    assert!(page.len() < 100_000, "{}", page.len());
}

fn call(name: &str) -> MadeCall {
    MadeCall { name: name.to_owned(), arguments: "{}".to_owned(), result: "ok".to_owned() }
}

#[tokio::test]
async fn many_calls_are_shortened() {
    let play = |index| {
        let mut conversation = conversation(&texts(2), None);
        conversation.messages[1].tool_calls = vec![call(&"long".repeat(100)); 10_000];
        simulated(index, conversation)
    };
    let page = html(&report(1, play).await);
    assert!(page.contains(">9980 more calls<"));
    assert!(page.len() < 100_000, "{}", page.len());
}

#[tokio::test]
async fn calls_without_a_message_are_shown() {
    let play = |index| {
        let mut conversation = conversation(&texts(2), None);
        let sender = ParticipantRole::Agent;
        let unsent = UnsentCall { sender, messages_before: 2, call: call("escalate") };
        conversation.unsent_calls.push(unsent);
        simulated(index, conversation)
    };
    let page = html(&report(1, play).await);
    assert!(page.contains("<code>escalate</code>") && page.contains(">without a message<"));
}

#[tokio::test]
async fn an_empty_run_has_a_page() {
    assert!(html(&report(0, support).await).contains("All 0 conversations."));
}
