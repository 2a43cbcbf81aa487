//! Checks that each tool is called at most once, and that calls are in the order in which the tools
//! are offered. In the input, the lines before the first empty line are tool names, and the lines
//! after it are user messages.

use mynah::internals::wire::proto::{
    ConversationInputAlpha2, ConversationMessage, ConversationMessageContent,
    ConversationMessageOfUser, ConversationRequestAlpha2, ConversationTools,
    ConversationToolsFunction, conversation_message::MessageTypes, conversation_tool_calls,
    conversation_tools,
};

pub fn run(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let (names, messages) = text.split_once("\n\n").unwrap_or((&text, &text));
    let names: Vec<&str> = names.lines().collect();
    let messages = messages.lines().map(user).collect();
    let request = ConversationRequestAlpha2 {
        inputs: vec![ConversationInputAlpha2 { messages, scrub_pii: None }],
        tools: names.iter().map(|name| tool(name)).collect(),
        ..Default::default()
    };
    let Some(Ok(answer)) = super::answer(request) else { return false };
    let choice = &answer.outputs[0].choices[0];
    let calls = choice.message.as_ref().map_or(&[][..], |message| &message.tool_calls);
    assert_eq!(choice.finish_reason == "tool_calls", !calls.is_empty());
    let mut offered = names.iter();
    for call in calls {
        let Some(conversation_tool_calls::ToolTypes::Function(call)) = &call.tool_types else {
            panic!("a call without a function");
        };
        assert!(
            offered.any(|name| *name == call.name),
            "unexpected call to {} with tools {names:?}",
            call.name
        );
    }
    !calls.is_empty()
}

fn user(text: &str) -> ConversationMessage {
    let content = vec![ConversationMessageContent { text: text.to_owned() }];
    let user = ConversationMessageOfUser { name: None, content };
    ConversationMessage { message_types: Some(MessageTypes::OfUser(user)) }
}

fn tool(name: &str) -> ConversationTools {
    let function =
        ConversationToolsFunction { name: name.to_owned(), description: None, parameters: None };
    ConversationTools { tool_types: Some(conversation_tools::ToolTypes::Function(function)) }
}
