//! Tests of where a chain begins and ends in a message.

use serde_json::json;

use super::{content, scripted, text};
use crate::support::messages::{assistant, system, user};

/// If a text has no chain, the fallback repeats the text.
#[tokio::test]
async fn finds_the_first_chain_between_tags() {
    let (s, e) = ("<|instruction_start|>", "<|instruction_end|>");
    let (a, b) = (text("A").to_string(), text("B").to_string());
    let nested = json!({"messages": [{"text": format!("{s}{b}{e}")}]}).to_string();
    let table = [
        (format!("{s}{a}{e}"), "A".to_owned()),
        (format!("{s}{a}{e}{s}{b}{e}"), "A".to_owned()),
        (format!("{e}{s}{a}{e}"), "A".to_owned()),
        (format!("{s}{a}{e}{s}{b}"), "A".to_owned()),
        (format!("{s}{nested}{e}"), format!("{s}{b}{e}")),
    ];
    let sidecar = scripted("{name: onMalformed, value: fallback}");
    for (text, expected) in table {
        assert_eq!(content(&sidecar, [user(&text)]).await, expected, "{text}");
    }
    for text in [
        format!("{s}{s}{a}{e}"),
        format!("{s}{a}"),
        format!("{s}{e}"),
        format!("{s}{a}{e}").to_uppercase(),
        format!("{s}{s}{e}{s}{b}{e}"),
    ] {
        assert_eq!(content(&sidecar, [user(&text)]).await, text);
    }
}

#[tokio::test]
async fn finds_chains_in_user_messages_only() {
    let chain = format!("<|instruction_start|>{}<|instruction_end|>", text("A"));
    let history = [system(&chain), assistant(&chain), user("plain")];
    assert_eq!(content(&scripted(""), history).await, "plain");
}
