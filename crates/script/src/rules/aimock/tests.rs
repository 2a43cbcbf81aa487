//! Tests of the conversion of aimock's fixtures.

use std::path::Path;

use mynah_core::base::diagnostics::Diagnostic;

use super::convert;
use crate::Rules;

/// Returns the rules, and the warnings or errors with their places.
fn converted(text: &str) -> String {
    let (rules, diagnostics) = match convert(text) {
        Ok(converted) => {
            let Some(rules) = converted.text() else { return lines(&converted.reasons()) };
            let read = Rules::read(rules.clone(), Path::new("rules.yaml"));
            assert!(read.is_ok(), "{:?}\n{rules}", read.err());
            (rules, converted.warnings)
        }
        Err(errors) => (String::new(), errors),
    };
    rules + &lines(&diagnostics)
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    let line = |it: &Diagnostic| match it.place {
        Some(place) => format!("# {place}: {}\n", it.message),
        None => format!("# {}\n", it.message),
    };
    diagnostics.iter().map(line).collect()
}

#[test]
fn conditions_are_converted() {
    let fixtures = r#"{"fixtures": [
      {"match": {"userMessage": "plan a trip", "turnIndex": 0, "toolName": "book"}, "response": {"content": "a"}},
      {"match": {"systemMessage": ["Ann", "Bob"], "model": "gpt-4.1"}, "response": {"content": "b"}},
      {"match": {"systemMessage": "Ann", "hasToolResult": true, "turnIndex": 2}, "response": {"content": "c"}},
      {"match": {"toolCallId": "call_1", "toolResultContains": "ok"}, "response": {"content": "d"}},
      {"match": {"responseFormat": "json_schema", "endpoint": "chat"}, "response": {"content": {"b": 1.50, "a": []}}},
      {"match": {}, "response": {"content": ""}}
    ]}"#;
    insta::assert_snapshot!(converted(fixtures), @r#"
    rules:
      - name: fixture 1
        match: {"tools":["book"],"user":{"contains":"plan a trip","join":"","skip_empty":true}}
        priority: 1
        respond: [{"text":"a"}]
      - name: fixture 2
        match: {"model":{"matches":"^gpt\\-4\\.1(-\\d.*)?$"},"system":[{"contains":"Ann"},{"contains":"Bob"}]}
        respond: [{"text":"b"}]
      - name: fixture 3
        match: {"has_tool_result_since_user":true,"system":[{"contains":"Ann"}],"turn":{"at_least":2}}
        priority: 3
        respond: [{"text":"c"}]
      - name: fixture 4
        match: {"last_tool_result":{"contains":"ok","id":"call_1","last_only":true}}
        respond: [{"text":"d"}]
      - name: fixture 5
        match: {"response_format":"present"}
        respond: [{"text":"{\"b\":1.50,\"a\":[]}"}]
      - name: fixture 6
        match: {}
        respond: [{"text":""}]
    "#);
}

#[test]
fn responses_are_converted() {
    let fixtures = r#"{"fixtures": [
      {"match": {"userMessage": "a"}, "response": {"content": "{{ user }}", "toolCalls": [
        {"name": "book", "arguments": {"to": "Rome {{", "at": 1.50}, "id": "call_1"},
        {"name": "book", "arguments": "{\"to\": \"Bern\\u00e9 \\ud83d\\ude00\"}"},
        {"name": "book", "arguments": "{\"to"}
      ]}},
      {"match": {"userMessage": "b"}, "response": {"blocks": [
        {"type": "toolCall", "name": "find", "arguments": "{}"},
        {"type": "text", "text": "one "}, {"type": "text", "text": "two"}
      ], "finishReason": "length", "usage": {"input_tokens": 3, "output_tokens": 4}, "reasoning": "two words"}},
      {"match": {"userMessage": "c"}, "response": {"error": {"message": "busy", "type": "rate_limit_error", "code": "slow_down"}, "status": 429, "retryAfter": 1.5}},
      {"match": {"userMessage": "d"}, "response": {"error": {"message": "broken"}}, "latency": 20},
      {"match": {"userMessage": "e"}, "response": {"content": "x"}, "streamingProfile": {"ttft": 200, "tps": 40, "jitter": 0.1}, "truncateAfterChunks": 3},
      {"match": {"userMessage": "f"}, "response": {"content": "\u2028\u0085"}}
    ]}"#;
    insta::assert_snapshot!(converted(fixtures), @r#"
    rules:
      - name: fixture 1
        match: {"turn":{"at_least":0},"user":{"contains":"a","join":"","skip_empty":true}}
        respond: [{"text":"{{ \"{{\" }} user }}"},{"tool_call":[{"name":"book","args":{"to":"Rome {{ \"{{\" }}","at":1.50},"id":"call_1"},{"name":"book","raw_args":"{\"to\": \"Bern\\u00e9 \\ud83d\\ude00\"}"},{"name":"book","raw_args":"{\"to"}]}]
        allow_unoffered: true
      - name: fixture 2
        match: {"turn":{"at_least":0},"user":{"contains":"b","join":"","skip_empty":true}}
        respond: {"messages":[{"text":"one two"},{"tool_call":[{"name":"find","raw_args":"{}"}]}],"finish_reason":"length","usage":{"completion_tokens":4,"prompt_tokens":3},"reasoning":"two words"}
        allow_unoffered: true
      - name: fixture 3
        match: {"user":{"contains":"c","join":"","skip_empty":true}}
        respond: {"error":{"code":"RESOURCE_EXHAUSTED","details":{"reason":"slow_down"},"message":"busy","retry_after":"1500ms"}}
      - name: fixture 4
        match: {"user":{"contains":"d","join":"","skip_empty":true}}
        respond: {"error":{"code":"INTERNAL","message":"broken"},"time_to_first_chunk":"20ms","chunk_delay":"20ms"}
      - name: fixture 5
        match: {"user":{"contains":"e","join":"","skip_empty":true}}
        respond: {"messages":[{"text":"x"}],"time_to_first_chunk":"200ms","chunk_delay":"25ms","cut_after":3}
      - name: fixture 6
        match: {"user":{"contains":"f","join":"","skip_empty":true}}
        respond: [{"text":"\u2028\u0085"}]
    # 13:124: ignored: `jitter`: answers are deterministic
    "#);
}

#[test]
fn sequences_become_one_rule() {
    let fixtures = r#"{"fixtures": [
      {"match": {"userMessage": "joke", "sequenceIndex": 1}, "response": {"content": "second"}},
      {"match": {"userMessage": "joke", "sequenceIndex": 0}, "response": {"error": {"message": "first"}}},
      {"match": {"userMessage": "joke", "sequenceIndex": 0}, "response": {"content": "again"}},
      {"match": {"userMessage": "joke", "sequenceIndex": 3}, "response": {"content": "fourth"}},
      {"match": {"userMessage": "pun", "sequenceIndex": 1}, "response": {"content": "never"}},
      {"match": {"userMessage": "joke"}, "response": {"content": "no more"}}
    ]}"#;
    insta::assert_snapshot!(converted(fixtures), @r#"
    rules:
      - name: fixture 1
        match: {"user":{"contains":"joke","join":"","skip_empty":true}}
        sequence:
          - {"error":{"code":"INTERNAL","message":"first"}}
          - respond: [{"text":"second"}]
        times: 2
      - name: fixture 6
        match: {"user":{"contains":"joke","join":"","skip_empty":true}}
        respond: [{"text":"no more"}]
    # 4:7: never answers: an earlier fixture has its sequenceIndex
    # 5:7: never answers: no fixture has sequenceIndex 2
    # 6:7: never answers: no fixture has sequenceIndex 0
    "#);
}

#[test]
fn what_has_no_meaning_is_warned_about() {
    let fixtures = r#"{"fixtures": [
      {"match": {"inputText": "a"}, "response": {"embedding": [1]}},
      {"match": {"endpoint": "image"}, "response": {"image": {}}},
      {"match": {"context": "demo"}, "response": {"content": "a"}},
      {"match": {"userMessage": "b", "usermessage": "c"}, "response": {"content": "a", "model": "x", "webSearches": ["x"], "role": "assistant"},
       "chaos": {"dropRate": 1}, "chunkSize": 3, "metadata": {"toolsHash": "x"}, "extra": null},
      {"match": {"userMessage": "d"}, "response": {"json": {}}}
    ]}"#;
    insta::assert_snapshot!(converted(fixtures), @r#"
    rules:
      - name: fixture 3
        match: {"session":{"equals":"demo"}}
        respond: [{"text":"a"}]
      - name: fixture 4
        match: {"user":{"contains":"b","join":"","skip_empty":true}}
        respond: {"messages":[{"text":"a"}],"characters_per_chunk":3}
    # 2:17: skipped: the condition `inputText` never holds, because fixtures answer chats only
    # 3:17: skipped: mynah has no endpoint "image"
    # 5:53: ignored: `usermessage` of a match has no meaning in mynah
    # 5:97: ignored: `model`: set the component's metadata item `model`
    # 5:117: ignored: `webSearches` of a response has no meaning in mynah
    # 6:17: ignored: `chaos`: failures are not random; see `faults`
    # 7:51: skipped: the response has no content, toolCalls, blocks or error
    "#);
}

#[test]
fn mistakes_have_places() {
    let files = [
        "",
        "{\"fixtures\": [\n  {]\n}",
        "{\"rules\": []}",
        "{\"fixtures\": {}}",
        "{\"fixtures\": []}",
        "{\"fixtures\": [1,\n {\"match\": {}}, {\"response\": {}}, {\"match\": 1}]}",
        "{\"fixtures\": [{\"match\": {\"userMessage\": 1, \"turnIndex\": 1.5},\n \"response\": {\"toolCalls\": [{}]}}]}",
    ];
    insta::assert_snapshot!(files.map(converted).concat(), @"
    # 1:1: not a fixture file of aimock: EOF while parsing a value
    # 2:4: not a fixture file of aimock: key must be a string
    # 1:13: not a fixture file of aimock: the key `fixtures` is missing
    # 1:13: not a fixture file of aimock: must be a list, not an object
    # 1:1: no fixture has a meaning in mynah; expected at least one for chats
    # 1:15: a fixture must be an object
    # 2:2: the fixture has no `response`
    # 2:17: the fixture has no `match`
    # 2:45: `match` must be an object
    # 1:41: `userMessage` must be a string
    # 1:57: `turnIndex` must be an integer
    # 2:28: `toolCalls` must be a list of calls with a name and arguments
    ");
}
