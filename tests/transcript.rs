//! Tests of a tool loop's transcript: writing calls and results as messages, and reading calls from
//! text.

mod duplicates;
mod extraction;
mod formatting;
mod duplicate_detector;
mod properties;
mod rendering;

use mynah::{
    chat::{Message, Role, ToolCall},
    tool_loop::transcript::{
        Arguments, ExecutedCall, ToolResult, Wording, call_message, correction, extract,
        failure_text, validate,
    },
};
use serde_json::{Value, json};

fn assistant(text: &str) -> Message {
    Message::new(Role::Assistant { tool_calls: Vec::new() }, text)
}

fn user(text: &str) -> Message {
    Message::new(Role::User, text)
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: Some(id.to_owned()), name: name.to_owned(), arguments: arguments.to_owned() }
}

/// Parses arguments and preserves their order.
fn arguments(json: &str) -> Arguments {
    json.parse().expect("an object")
}

/// Returns the text for a successful call to `wordpress_publish`.
fn publish(wording: &Wording, data: Value) -> String {
    let result = ToolResult::success(data);
    let arguments = Arguments::default();
    wording.text(&ExecutedCall {
        name: "wordpress_publish",
        arguments: &arguments,
        result: &result,
    })
}

#[test]
fn builds_messages() {
    let message = Message::new(Role::User, "Create a pipeline");
    assert_eq!((message.role.clone(), &*message.text()), (Role::User, "Create a pipeline"));
    let system = Message::new(Role::System, "You are a helpful assistant");
    assert_eq!(
        (system.role.clone(), &*system.text()),
        (Role::System, "You are a helpful assistant")
    );
}

#[test]
fn formats_a_call() {
    let arguments = arguments(r#"{"query": "WordPress best practices", "num_results": 5}"#);
    let text = "AI ACTION (Turn 1): Executing Google Search with parameters: query: WordPress best practices, num_results: 5";
    assert_eq!(call_message("google_search", &arguments, 1), assistant(text));
}

#[test]
fn formats_a_result_as_text_only() {
    let result = ToolResult::success(json!({"id": 123, "title": "New Post"}));
    let arguments = arguments(r#"{"content": "Post content"}"#);
    let executed =
        ExecutedCall { name: "wordpress_publish", arguments: &arguments, result: &result };
    let text = "TOOL RESPONSE (Turn 2): SUCCESS: Wordpress Publish completed successfully. The requested operation has been finished as requested.";
    let wording = Wording::default().text_only(["wordpress_publish"]);
    assert_eq!(wording.message(&executed, 2), user(text));
}

#[test]
fn formats_a_result_with_its_data() {
    let result = ToolResult::success(json!({"results": ["a", "b/c", "é"]}));
    let arguments = arguments(r#"{"query": "test"}"#);
    let executed = ExecutedCall { name: "google_search", arguments: &arguments, result: &result };
    let text = "TOOL RESPONSE (Turn 3): SUCCESS: Google Search completed successfully. The requested operation has been finished as requested.\n\n{\"results\":[\"a\",\"b/c\",\"é\"]}";
    assert_eq!(Wording::default().message(&executed, 3), user(text));
}

#[test]
fn describes_successes_and_failures() {
    let twitter = |result| {
        let arguments = Arguments::default();
        let name = "twitter_publish";
        Wording::default().text(&ExecutedCall { name, arguments: &arguments, result: &result })
    };
    assert_eq!(
        twitter(ToolResult::success(json!([]))),
        "SUCCESS: Twitter Publish completed successfully. The requested operation has been finished as requested."
    );
    assert_eq!(
        twitter(ToolResult::failure("Invalid credentials")),
        "TOOL FAILED: twitter_publish execution failed - Invalid credentials"
    );
}

#[test]
fn a_hook_changes_the_text_of_a_success() {
    let wording = Wording::customized(|message, executed| {
        match (executed.name, &executed.result.data()["url"]) {
            ("wordpress_publish", Value::String(url)) => {
                format!("SUCCESS: Post published at {url}")
            }
            _ => message.to_owned(),
        }
    });
    let url = "https://example.com/new-post";
    let text = publish(&wording, json!({"url": url}));
    assert_eq!(text, format!("SUCCESS: Post published at {url}"));
    assert_eq!(publish(&wording, json!({})), publish(&Wording::default(), json!({})));
}

#[test]
fn a_hook_changes_one_tool_and_no_failures() {
    let wording = Wording::customized(|message, executed| {
        match (executed.name, &executed.result.data()["url"]) {
            ("twitter_publish", Value::String(url)) => format!(
                "SUCCESS: Tweet published successfully at {url}. The content is now live on Twitter."
            ),
            _ => message.to_owned(),
        }
    });
    let result = ToolResult::success(json!({"url": "https://example.com/1"}));
    let arguments = Arguments::default();
    let tweet = ExecutedCall { name: "twitter_publish", arguments: &arguments, result: &result };
    let text = "SUCCESS: Tweet published successfully at https://example.com/1. The content is now live on Twitter.";
    assert_eq!(wording.text(&tweet), text);
    let failed = ToolResult::failure("Invalid credentials");
    let text = "TOOL FAILED: twitter_publish execution failed - Invalid credentials";
    assert_eq!(
        wording.text(&ExecutedCall { result: &failed, ..tweet }),
        text,
        "no hook on failure"
    );
    let data = || json!({"url": "https://example.com/1"});
    assert_eq!(publish(&wording, data()), publish(&Wording::default(), data()));
}

#[test]
fn adds_advice_to_a_failure() {
    assert_eq!(
        failure_text("google_search", "API quota exceeded"),
        "TOOL FAILED: Google Search execution failed - API quota exceeded. Please review the error and adjust your approach if needed."
    );
}

#[test]
fn rejects_a_repeated_call() {
    let history = [
        user("Search for WordPress"),
        assistant(
            "AI ACTION (Turn 1): Executing Google Search with parameters: query: WordPress, num_results: 5",
        ),
        user("TOOL RESPONSE (Turn 1): ..."),
    ];
    let same = arguments(r#"{"query": "WordPress", "num_results": 5}"#);
    let problem = validate("google_search", &same, &history).expect("a duplicate");
    assert_eq!(
        problem,
        "You just called the google_search tool with the exact same parameters as your previous action. Please try a different approach or use different parameters instead."
    );
    let other = arguments(r#"{"query": "WordPress plugins", "num_results": 5}"#);
    assert_eq!(validate("google_search", &other, &history), None);
}

#[test]
fn extracts_a_call_from_a_message() {
    let message = assistant(
        "AI ACTION (Turn 1): Executing Google Search with parameters: query: WordPress, num_results: 5",
    );
    let extracted = extract(&message).expect("a call");
    assert_eq!(extracted.name, "google_search");
    assert_eq!(extracted.arguments.to_string(), r#"{"query":"WordPress","num_results":5}"#);
    assert!(!extracted.is_truncated);
}

#[test]
fn asks_for_a_different_call_after_a_duplicate() {
    let text = "You just called the Google Search tool with the exact same parameters as your previous action. Please try a different approach or use different parameters instead.";
    assert_eq!(correction("google_search"), user(text));
}

#[test]
fn formats_a_call_and_its_result() {
    let name = "wordpress_publish";
    let post = arguments(r#"{"title": "My Post", "content": "Post content"}"#);
    let text = "AI ACTION (Turn 1): Executing Wordpress Publish with parameters: title: My Post, content: Post content";
    assert_eq!(call_message(name, &post, 1), assistant(text));
    let result = ToolResult::success(json!({"id": 123}));
    let executed = ExecutedCall { name, arguments: &post, result: &result };
    let text = "TOOL RESPONSE (Turn 1): SUCCESS: Wordpress Publish completed successfully. The requested operation has been finished as requested.";
    assert_eq!(Wording::default().text_only([name]).message(&executed, 1), user(text));
}

#[test]
fn rejects_a_repeated_call_even_after_a_correction() {
    let (name, title) = ("wordpress_publish", arguments(r#"{"title": "My Post"}"#));
    let result = ToolResult::success(json!({"id": 1}));
    let executed = ExecutedCall { name, arguments: &title, result: &result };
    let mut history = vec![
        call_message(name, &title, 1),
        Wording::default().text_only([name]).message(&executed, 1),
    ];
    let problem = validate(name, &title, &history).expect("a duplicate");
    history.push(Message::new(Role::User, problem));
    assert!(
        validate(name, &title, &history).is_some(),
        "a correction does not hide the call before it"
    );
}
