//! Valid and invalid chains.

/// Valid chains.
pub(super) const VALID: &[&str] = &[
    r#"{"messages":[{"text":"hi"}]}"#,
    r#"{"instruction_chain":[{"messages":[{"text":""}]}]}"#,
    r#"{"instruction_chain":[{"reasoning":{"length":150}},{"delay":"50ms"},{"error":{"code":"ABORTED"}}]}"#,
    r#"{"reasoning":{"length":0},"messages":[]}"#,
    r#"{"reasoning":"It rains.","messages":[]}"#,
    r#"{"reasoning":{"length":5.0},"messages":null,"error":null}"#,
    r#"{"id":"a","id_message":"b","reasoning":{"length":3},"messages":[{"text":"x"}],
        "finish_reason":"length","usage":{"prompt_tokens":1,"completion_tokens":null},
        "delay":"0","words_per_chunk":3,"chunk_delay":"1.5s","time_to_first_chunk":"1h2m"}"#,
    r#"{"messages":[{"text_message":{"length":100000}},{"json":{"b":[1.50,null],"a":"\u00e9"}},{"json":false},
        {"tool_call":[{"name":"f"},{"name":"g","args":null,"id":null},{"name":"h","args":{"a":1},"id":"x"}]},
        {"system_prompt_echo":{}},{"tools_list":{}},{"tools_echo":{}},{"tool_schema":{"name":"f"}},
        {"tool_schema":{}},{"tool_results":{}},{"text":null,"json":1}]}"#,
    r#"{"messages":[{"text":"half"},{"error":{"code":"UNAVAILABLE","message":"busy","retry_after":"2s",
        "details":{"reason":"LOAD","domain":"example.com","metadata":{"zone":"b"}}}}]}"#,
    r#"{"messages":[{"tool_call":[{"name":"f","raw_args":"{\"a"},{"name":"g","args":null,"raw_args":""}]}]}"#,
    r#"{"instruction_chain":[{"error":{"code":"ABORTED"},"times":2},{"messages":[{"error":{"code":"ABORTED"}}],"times":1}]}"#,
    r#"{"instruction_chain":[{"empty":"outputs"},{"empty":"choices","delay":"1s"},{"empty":"message","finish_reason":"x"}]}"#,
    r#"{"messages":[{"text":"a b"}],"cut_after":1,"times":1}"#,
    r#"{"cut_after":0,"empty":null,"messages":[]}"#,
    r#"{"error":{"code":"INTERNAL","message":null,"details":null,"retry_after":null},"messages":[],"delay":"1ms"}"#,
];

/// Invalid chains that the schema also rejects, with the parser's errors.
pub(super) const INVALID: &[(&str, &str)] = &[
    // the chain
    (r#"{"instruction_chain":[],"x":1}"#, r#"unknown key "x"; known: instruction_chain"#),
    (r#"{"instruction_chain":[]}"#, "instruction_chain: must have at least one step"),
    (r#"{"instruction_chain":null}"#, "instruction_chain: must be a list, not null"),
    (r#"{"instruction_chain":{}}"#, "instruction_chain: must be a list, not an object"),
    (r#"{"instruction_chain":[1]}"#, "step 1: must be an object, not a number"),
    // a step
    (
        r#"{"delay":"1s","times":2}"#,
        "step 1, times: only steps with an error or cut_after can have times",
    ),
    (
        r#"{"empty":"output"}"#,
        r#"step 1, empty: unknown value "output"; known: outputs, choices, message"#,
    ),
    (
        r#"{"empty":"outputs","messages":[{"text":""}]}"#,
        "step 1: has both messages and empty; remove one of them",
    ),
    (
        r#"{"empty":"outputs","error":{"code":"ABORTED"}}"#,
        "step 1: has both error and empty; remove one of them",
    ),
    (
        r#"{"empty":"outputs","cut_after":0}"#,
        "step 1: has both empty and cut_after; remove one of them",
    ),
    (
        r#"{"messages":[{"error":{"code":"ABORTED"}}],"cut_after":1}"#,
        "step 1: has both an error and cut_after; remove one of them",
    ),
    (r#"{"cut_after":-1}"#, "step 1, cut_after: must be a whole number from 0 to 1000000"),
    (
        r#"{"error":{"code":"ABORTED"},"times":0}"#,
        "step 1, times: must be a whole number from 1 to 1000000",
    ),
    (
        r#"{"messages":[{"tool_call":[{"name":"f","args":{},"raw_args":""}]}]}"#,
        "step 1, item 1, call 1: has both args and raw_args; remove one of them",
    ),
    ("{}", "step 1: needs messages, reasoning, error, delay, empty or cut_after"),
    (r#"{"messages":[]}"#, "step 1: needs messages, reasoning, error, delay, empty or cut_after"),
    (r#"{"id":"a"}"#, "step 1: needs messages, reasoning, error, delay, empty or cut_after"),
    (
        r#"{"instruction_chain":[{},{"messages":[{"text_message":{"length":10}}]}]}"#,
        "step 1: needs messages, reasoning, error, delay, empty or cut_after",
    ),
    (
        r#"{"instruction_chain":[{"messages":[{"text":"a"}]},{"mesages":[]}]}"#,
        r#"step 2: unknown key "mesages"; known: id, id_message, reasoning, messages, finish_reason, usage, delay, words_per_chunk, characters_per_chunk, chunk_delay, time_to_first_chunk, error, times, empty, cut_after"#,
    ),
    (
        r#"{"messages":[{"text":"a"}],"error":{"code":"ABORTED"}}"#,
        "step 1: has both messages and error; to fail after a text, make the error the last item of messages",
    ),
    (r#"{"messages":"hi"}"#, "step 1, messages: must be a list, not a string"),
    (r#"{"delay":"1s","id":5}"#, "step 1, id: must be a string, not a number"),
    (r#"{"delay":"1s","id_message":true}"#, "step 1, id_message: must be a string, not a boolean"),
    (r#"{"reasoning":5}"#, r#"step 1, reasoning: must be a text or {"length": N}"#),
    (r#"{"reasoning":{}}"#, r#"step 1, reasoning: needs "length""#),
    (
        r#"{"reasoning":{"length":-1}}"#,
        "step 1, reasoning, length: must be a whole number from 0 to 100000",
    ),
    (
        r#"{"reasoning":{"length":10.5}}"#,
        "step 1, reasoning, length: must be a whole number from 0 to 100000",
    ),
    (
        r#"{"reasoning":{"length":"5"}}"#,
        "step 1, reasoning, length: must be a whole number from 0 to 100000",
    ),
    (
        r#"{"reasoning":{"length":1e9}}"#,
        "step 1, reasoning, length: must be a whole number from 0 to 100000",
    ),
    (r#"{"reasoning":["It rains."]}"#, r#"step 1, reasoning: must be a text or {"length": N}"#),
    (
        r#"{"reasoning":{"length":1,"text":"x"}}"#,
        r#"step 1, reasoning: unknown key "text"; known: length"#,
    ),
    (
        r#"{"delay":"1s","finish_reason":"1234567890123456789012345678901234567890123456789012345678901234x"}"#,
        "step 1, finish_reason: must have at most 64 characters",
    ),
    (
        r#"{"delay":"1s","usage":{"total_tokens":1}}"#,
        r#"step 1, usage: unknown key "total_tokens"; known: prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens"#,
    ),
    (
        r#"{"delay":"1s","usage":{"prompt_tokens":-1}}"#,
        "step 1, usage, prompt_tokens: must be a whole number from 0 to 9007199254740991",
    ),
    (
        r#"{"delay":"fast"}"#,
        r#"step 1, delay: "fast" is not a duration; use Go's format, such as 50ms or 1.5s"#,
    ),
    (r#"{"delay":"-1s"}"#, r#"step 1, delay: "-1s" is negative; use a duration of 0s or more"#),
    (r#"{"delay":50}"#, r#"step 1, delay: must be a duration such as "500ms", not a number"#),
    (
        r#"{"delay":"1s","chunk_delay":"1"}"#,
        r#"step 1, chunk_delay: "1" is not a duration; use Go's format, such as 50ms or 1.5s"#,
    ),
    (
        r#"{"delay":"1s","words_per_chunk":0}"#,
        "step 1, words_per_chunk: must be a whole number from 1 to 100000",
    ),
    (
        r#"{"delay":"1s","words_per_chunk":1,"characters_per_chunk":1}"#,
        "step 1: has both words_per_chunk and characters_per_chunk; remove one of them",
    ),
    // an item
    (r#"{"messages":["hi"]}"#, "step 1, item 1: must be an object, not a string"),
    (r#"{"messages":[null]}"#, "step 1, item 1: must be an object, not null"),
    (
        r#"{"messages":[{"text":"a"},{}]}"#,
        "step 1, item 2: has 0 kinds; expected exactly one of text, text_message, json, tool_call, system_prompt_echo, tools_list, tools_echo, tool_schema, tool_results, error",
    ),
    (
        r#"{"messages":[{"text":"a","json":1}]}"#,
        "step 1, item 1: has 2 kinds; expected exactly one of text, text_message, json, tool_call, system_prompt_echo, tools_list, tools_echo, tool_schema, tool_results, error",
    ),
    (
        r#"{"messages":[{"json":null}]}"#,
        "step 1, item 1: has 0 kinds; expected exactly one of text, text_message, json, tool_call, system_prompt_echo, tools_list, tools_echo, tool_schema, tool_results, error",
    ),
    (
        r#"{"messages":[{"server_tool_use":{"name":"x"}}]}"#,
        r#"step 1, item 1: unknown key "server_tool_use"; known: text, text_message, json, tool_call, system_prompt_echo, tools_list, tools_echo, tool_schema, tool_results, error"#,
    ),
    (r#"{"messages":[{"text":5}]}"#, "step 1, item 1, text: must be a string, not a number"),
    (
        r#"{"messages":[{"text_message":20}]}"#,
        "step 1, item 1, text_message: must be an object, not a number",
    ),
    (r#"{"messages":[{"text_message":{}}]}"#, r#"step 1, item 1, text_message: needs "length""#),
    (
        r#"{"messages":[{"tools_list":true}]}"#,
        "step 1, item 1, tools_list: must be an object, not a boolean",
    ),
    (
        r#"{"messages":[{"tools_echo":{"name":"f"}}]}"#,
        r#"step 1, item 1, tools_echo: unknown key "name"; expected {}"#,
    ),
    (
        r#"{"messages":[{"tool_schema":{"tool":"f"}}]}"#,
        r#"step 1, item 1, tool_schema: unknown key "tool"; known: name"#,
    ),
    // a call
    (
        r#"{"messages":[{"tool_call":{"name":"f"}}]}"#,
        "step 1, item 1, tool_call: must be a list, not an object",
    ),
    (
        r#"{"messages":[{"tool_call":[]}]}"#,
        "step 1, item 1, tool_call: must have at least one call",
    ),
    (
        r#"{"messages":[{"tool_call":[{"name":"f"},{}]}]}"#,
        r#"step 1, item 1, call 2: needs "name""#,
    ),
    (r#"{"messages":[{"tool_call":[{"name":null}]}]}"#, r#"step 1, item 1, call 1: needs "name""#),
    (
        r#"{"messages":[{"tool_call":[{"name":""}]}]}"#,
        "step 1, item 1, call 1, name: must not be empty",
    ),
    (
        r#"{"messages":[{"tool_call":[{"name":"f","args":"{}"}]}]}"#,
        "step 1, item 1, call 1, args: must be an object, not a string",
    ),
    (
        r#"{"messages":[{"tool_call":[{"name":"f","arguments":{}}]}]}"#,
        r#"step 1, item 1, call 1: unknown key "arguments"; known: name, args, raw_args, id"#,
    ),
    (
        r#"{"messages":[{"tool_call":[{"name":"f","id":7}]}]}"#,
        "step 1, item 1, call 1, id: must be a string, not a number",
    ),
    // an error
    (r#"{"error":{}}"#, r#"step 1, error: needs "code""#),
    (
        r#"{"error":{"code":"unavailable"}}"#,
        r#"step 1, error, code: unknown value "unavailable"; known: CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED"#,
    ),
    (r#"{"error":{"code":14}}"#, "step 1, error, code: must be a string, not a number"),
    (
        r#"{"messages":[{"error":{"code":"ABORTED","retryAfter":"1s"}}]}"#,
        r#"step 1, item 1, error: unknown key "retryAfter"; known: code, message, details, retry_after"#,
    ),
    (
        r#"{"error":{"code":"ABORTED","retry_after":1}}"#,
        r#"step 1, error, retry_after: must be a duration such as "500ms", not a number"#,
    ),
    (r#"{"error":{"code":"ABORTED","details":{}}}"#, r#"step 1, error, details: needs "reason""#),
    (
        r#"{"messages":[{"text":"a"},{"tool_call":[{"name":"f"}]},{"error":{"code":"ABORTED"}}]}"#,
        "step 1, item 2, tool_call: is never sent, because item 3 is an error; remove one of them",
    ),
    (
        r#"{"messages":[{"error":{"code":"ABORTED"}},{"tool_call":[{"name":"f"}]}]}"#,
        "step 1, item 2: follows an error, which ends the turn; make the error the last item",
    ),
    (
        r#"{"error":{"code":"ABORTED","details":{"reason":"R","metadata":{"a":1}}}}"#,
        r#"step 1, error, details, metadata, "a": must be a string, not a number"#,
    ),
];

/// Invalid chains that no schema can reject, with the parser's errors.
pub(super) const INVALID_BEYOND_SCHEMA: &[(&str, &str)] = &[
    (
        r#"{"messages":[{"text":"a"},{"error":{"code":"ABORTED"}},{"text":"b"}]}"#,
        "step 1, item 3: follows an error, which ends the turn; make the error the last item",
    ),
    (
        r#"{"messages":[{"text":"a"}],"messages":[{"text":"b"}]}"#,
        r#"step 1: duplicate key "messages""#,
    ),
    (
        r#"{"delay":"3000000h"}"#,
        r#"step 1, delay: "3000000h" is too long; the longest duration is about 292 years (2562047h)"#,
    ),
    (
        r#"{"messages":[{"text":"\ud800"}]}"#,
        "step 1, item 1, text: cannot be parsed: unexpected end of hex escape at line 1 column 8",
    ),
];
