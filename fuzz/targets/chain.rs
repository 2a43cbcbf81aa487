//! Any prompt is read the same way twice, and a script says the same whole and streamed.

use std::sync::{Arc, LazyLock};

use futures_util::{FutureExt, StreamExt};
use mynah::{
    chat::{Delta, Message, ProviderError, Request, Response, Role},
    provider::{
        Provider,
        scripted::{Chain, Scripted, ScriptedSettings},
    },
};
use tokio::runtime::{Builder, Runtime};

/// Steps may wait, which wants a clock; what waits is not waited for.
static CLOCK: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a clock"));

pub fn run(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let _clock = CLOCK.enter();
    let message = Message::new(Role::User, text.clone());
    let request = Arc::new(Request { messages: vec![message], ..Request::default() });
    let settings = ScriptedSettings { allow_unoffered: true, ..ScriptedSettings::default() };
    let scripted = Arc::new(Scripted::new("scripted", settings, None));
    let whole = scripted.clone().converse(request.clone()).now_or_never();
    assert_eq!(scripted.clone().converse(request.clone()).now_or_never(), whole);
    let deltas = scripted.stream(request).collect::<Vec<_>>().now_or_never();
    if let (Some(whole), Some(deltas)) = (whole, deltas) {
        assert_eq!(streamed(deltas), whole);
    }
    let chain = Chain::in_text(&text);
    assert_eq!(format!("{:?}", Chain::in_text(&text)), format!("{chain:?}"));
    chain.is_some()
}

/// What a stream ends with; the text of an answer is that of its chunks.
fn streamed(deltas: Vec<Result<Delta, ProviderError>>) -> Result<Response, ProviderError> {
    let mut text = String::new();
    for delta in deltas {
        match delta? {
            Delta::Text(chunk) => text += &chunk,
            Delta::Complete(response) => {
                assert_eq!(response.content, text);
                return Ok(*response);
            }
        }
    }
    panic!("a stream without its end");
}
