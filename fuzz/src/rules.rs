//! Checks that reading rules is deterministic, that the same request gets the same answer from fresh
//! rules, and that converted fixtures of aimock are valid rules.

use std::{path::Path, sync::Arc};

use futures_util::FutureExt;
use mynah::{
    chat::{Message, ProviderError, Request, Response, Role, Tool},
    provider::{
        CallContext, Provider,
        echo::{Echo, EchoSettings},
        scripted::{RuleProvider, Rules, ScriptedSettings, rules::aimock},
    },
};

pub fn run(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    if let Some(rules) = aimock::convert(&text).ok().and_then(|converted| converted.text()) {
        let errors = Rules::read(rules, Path::new("")).err();
        assert!(errors.is_none(), "{errors:?}");
    }
    match (read(&text), read(&text)) {
        (Some(first), Some(second)) => {
            let _guard = super::chain::TIMER.enter();
            assert_eq!(answers(first), answers(second));
            true
        }
        (first, second) => {
            assert_eq!(first.is_some(), second.is_some());
            false
        }
    }
}

fn read(text: &str) -> Option<Arc<Rules>> {
    Rules::read(text.to_owned(), Path::new("rules.yaml")).ok().map(Arc::new)
}

/// Returns the answers to a repeated request. Answers that take long are skipped.
fn answers(rules: Arc<Rules>) -> Vec<Option<Result<Response, ProviderError>>> {
    let settings = ScriptedSettings { allow_unoffered: true, ..ScriptedSettings::default() };
    let fallback = Arc::new(Echo::new("llm", EchoSettings::default()));
    let provider = Arc::new(RuleProvider::new("llm", settings, rules, fallback));
    let request = Request {
        messages: vec![
            Message::new(Role::System, "Be brief."),
            Message::new(Role::User, "What is the weather in Paris?"),
        ],
        tools: vec![Tool { name: "get_weather".to_owned(), description: None, parameters: None }],
        ..Request::default()
    };
    let request = Arc::new(request);
    let context = CallContext::default();
    let answer = || provider.clone().converse(request.clone(), context.clone()).now_or_never();
    (0..3).map(|_| answer()).collect()
}
