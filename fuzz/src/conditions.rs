//! Checks that conditions agree with their mismatches, and that the index misses no rule. In the input,
//! the text before the first empty line is JSON for a match, and the text after it is a user message.

use mynah::chat::{Message, Request, Role, Tool};
use mynah_script::rules::{
    index::Index,
    matching::{Match, MatchedCall},
};

pub fn run(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let (conditions, user) = text.split_once("\n\n").unwrap_or((&text, ""));
    let Ok(matched) = serde_json::from_str::<Match>(conditions) else { return false };
    let request = request(user);
    let mut call = MatchedCall::new(&request, "llm");
    call.model = Some("gpt-4o");
    let (holds, mismatches) = (matched.holds(&call), matched.mismatches(&call));
    assert_eq!(holds, mismatches.is_empty(), "{mismatches:?}");
    assert_eq!(holds, matched.captures(&call).is_some());
    let names: Vec<_> = matched.capture_names().collect();
    for name in matched.captures(&call).unwrap_or_default().keys() {
        assert!(names.contains(&name.as_str()), "{name} is not a group");
    }
    let found: Vec<_> = Index::new([&Match::default(), &matched]).candidates(&call).collect();
    assert_eq!(found.first(), Some(&0));
    assert!(!holds || found == [0, 1], "the index misses a rule that matches");
    true
}

fn request(user: &str) -> Request {
    let result = Role::Tool { id: Some("call_1".to_owned()), name: "get_weather".to_owned() };
    let assistant = Role::Assistant { tool_calls: Vec::new() };
    Request {
        context_id: Some("trip".to_owned()),
        messages: vec![
            Message::new(Role::System, "Be brief."),
            Message::new(Role::User, user),
            Message::new(assistant, "Let me see."),
            Message::new(result, user),
        ],
        tools: vec![Tool { name: "get_weather".to_owned(), description: None, parameters: None }],
        metadata: [("tenant".to_owned(), "acme".to_owned())].into(),
        ..Request::default()
    }
}
