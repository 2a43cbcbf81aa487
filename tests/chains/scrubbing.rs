//! Scrubbing of personal data leaves a script alone, and scrubs all that goes by it.

use serde_json::json;

use super::{chain, content, scripted};
use crate::support::{
    Sidecar,
    messages::{assistant, request, result, user},
    stream,
};

const MAIL: &str = "mail ann@example.org or call 555 123 4567";
const SCRUBBED: &str = "mail <EMAIL_ADDRESS> or call <PHONE_NUMBER>";

#[tokio::test]
async fn a_chain_in_a_scrubbed_input_stays_what_it_is() {
    // Every number here would be a phone number or a date.
    let step = json!({"messages": [{"text": MAIL}, {"json": {"year": 2024, "zip": 94105}},
        {"text_message": {"length": 12}}, {"tool_results": {}}]});
    let mut asked =
        request([chain(json!([{"delay": "0s"}, step])), assistant("-"), result("1", "f", MAIL)]);
    asked.inputs[0].scrub_pii = Some(true);
    let expected = format!(
        "{MAIL}\n\n{{\"year\":2024,\"zip\":94105}}\n\n\
         lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor\n\n{SCRUBBED}"
    );
    let sidecar = scripted("");
    assert_eq!(sidecar.converse(asked.clone()).await.unwrap().content, expected);
    assert_eq!(stream(&sidecar, asked).await.unwrap().chunks.concat(), expected);
}

#[tokio::test]
async fn what_is_no_chain_is_scrubbed() {
    let broken = format!("{MAIL} <|instruction_start|>{MAIL}<|instruction_end|> {MAIL}");
    let expected = broken.replace(MAIL, SCRUBBED);
    let mut asked = request([user(&broken)]);
    asked.inputs[0].scrub_pii = Some(true);
    assert_eq!(scripted("").converse(asked.clone()).await.unwrap().content, expected);
    // Nothing is a chain to an echo.
    let chain = user(&format!("<|instruction_start|>{{\"a\":\"{MAIL}\"}}<|instruction_end|>"));
    asked.inputs[0].messages = vec![chain];
    let said = Sidecar::start().converse(asked).await.unwrap().content;
    assert!(said.contains(SCRUBBED) && !said.contains("ann@"), "{said}");
}

#[tokio::test]
async fn answers_are_scrubbed_unary_and_streamed() {
    let mut asked = request([chain(json!([{"messages": [{"text": MAIL}]}]))]);
    asked.scrub_pii = Some(true);
    let sidecar = scripted("");
    assert_eq!(sidecar.converse(asked.clone()).await.unwrap().content, SCRUBBED);
    let streamed = stream(&sidecar, asked).await.unwrap();
    assert_eq!(
        (streamed.chunks.concat(), streamed.answer.content),
        (SCRUBBED.to_owned(), SCRUBBED.to_owned())
    );
    assert_eq!(content(&sidecar, [chain(json!([{"messages": [{"text": MAIL}]}]))]).await, MAIL);
}
