//! Checks that reading rules is deterministic, that the same request gets the same answer from fresh
//! rules, that their JSON Schema accepts the same rules, and that converted fixtures of aimock are valid
//! rules.

use std::{
    path::Path,
    sync::{Arc, LazyLock},
};

use futures_util::FutureExt;
use mynah::{
    chat::{Message, ProviderError, Request, Response, Role, Tool},
    provider::{
        CallContext, Provider,
        echo::{Echo, EchoSettings},
        scripted::{RuleProvider, Rules, ScriptedSettings, rules, rules::aimock},
    },
};
use mynah_core::base::{diagnostics::Diagnostic, json_schema::Schema, yaml};

/// Parts of the errors that a schema cannot find: those of templates, patterns and names.
const BEYOND_SCHEMA: [&str; 3] = ["template ", "the pattern ", "duplicate name "];

static SCHEMA: LazyLock<Schema> =
    LazyLock::new(|| Schema::compile(&rules::schema()).expect("a valid schema"));

pub fn run(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let converted = aimock::convert(&text).ok().and_then(|converted| converted.text());
    if let Some(rules) = &converted {
        let errors = Rules::read(rules.clone(), Path::new("")).err();
        assert!(errors.is_none(), "{errors:?}");
    }
    if converted.is_none() {
        compare_with_schema(&text);
    }
    match (read(&text), read(&text)) {
        (Ok(first), Ok(second)) => {
            let _guard = super::chain::TIMER.enter();
            assert_eq!(answers(first.into()), answers(second.into()));
            true
        }
        (first, second) => {
            assert_eq!(first.err(), second.err());
            false
        }
    }
}

/// Checks that the schema accepts the same files as the reader.
fn compare_with_schema(text: &str) {
    let is_valid = |value| SCHEMA.is_valid(&value);
    match read(text) {
        Ok(_) => assert!(yaml::from_str(text).is_ok_and(is_valid), "{text}"),
        Err(errors) if yaml::from_str(text).is_ok_and(is_valid) => {
            let is_beyond = |text: &str| BEYOND_SCHEMA.iter().any(|it| text.contains(it));
            assert!(errors.iter().all(|error| is_beyond(&error.message)), "{errors:?}");
        }
        Err(_) => {}
    }
}

fn read(text: &str) -> Result<Rules, Vec<Diagnostic>> {
    Rules::read(text.to_owned(), Path::new("rules.yaml"))
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
