//! Checks that parsing a prompt is deterministic, and that a chain gives the same answer with and
//! without streaming.

use std::sync::{Arc, LazyLock};

use futures_util::{FutureExt, StreamExt};
use mynah::{
    chat::{Delta, Message, ProviderError, Request, Response, Role},
    provider::{
        CallContext, Provider,
        scripted::{Chain, Scripted, ScriptedSettings},
    },
};
use tokio::runtime::{Builder, Runtime};

/// The runtime for delays and for long answers, which other threads make. Both are skipped.
pub(crate) static TIMER: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime"));

pub fn run(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let _guard = TIMER.enter();
    let message = Message::new(Role::User, text.clone());
    let request = Arc::new(Request { messages: vec![message], ..Request::default() });
    let settings = ScriptedSettings { allow_unoffered: true, ..ScriptedSettings::default() };
    // Steps with `times` are counted, so that each answer needs a provider of its own.
    let scripted = || Arc::new(Scripted::new("scripted", settings.clone(), None));
    let answer = || scripted().converse(request.clone(), CallContext::default()).now_or_never();
    let (unary, again) = (answer(), answer());
    if let (Some(unary), Some(again)) = (&unary, again) {
        assert_eq!(again, *unary);
    }
    let deltas =
        scripted().stream(request, CallContext::default()).collect::<Vec<_>>().now_or_never();
    if let (Some(unary), Some(deltas)) = (unary, deltas) {
        assert_eq!(streamed(deltas), unary);
    }
    let chain = Chain::in_text(&text);
    assert_eq!(format!("{:?}", Chain::in_text(&text)), format!("{chain:?}"));
    chain.is_some()
}

/// Returns the final response of a stream. Checks that its texts equal the concatenated deltas.
fn streamed(deltas: Vec<Result<Delta, ProviderError>>) -> Result<Response, ProviderError> {
    let (mut reasoning, mut text) = (String::new(), String::new());
    for delta in deltas {
        match delta? {
            Delta::Reasoning(chunk) => reasoning += &chunk,
            Delta::Text(chunk) => text += &chunk,
            Delta::Complete(response) => {
                assert_eq!((&response.reasoning, &response.content), (&reasoning, &text));
                return Ok(*response);
            }
        }
    }
    panic!("the stream has no final response");
}
