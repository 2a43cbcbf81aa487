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
    r#"{"respond":"hi","messages":null}"#,
    r#"{"respond":[{"text":"hi"},{"error":{"code":"ABORTED"}}],"times":1,"messages":[]}"#,
    r#"{"instruction_chain":[{"respond":7.50},{"respond":[],"delay":"1s"}]}"#,
    r#"{"error":{"code":"INTERNAL","message":null,"details":null,"retry_after":null},"messages":[],"delay":"1ms"}"#,
];

/// Invalid chains that the schema also rejects, with the parser's errors.
pub(super) const INVALID: &[(&str, &str)] = &[
    // the chain
    (r#"{"instruction_chain":[],"x":1}"#, "unknown key `x`; expected `instruction_chain`"),
    (r#"{"instruction_chain":[]}"#, "instruction_chain: must have at least one step"),
    (r#"{"instruction_chain":null}"#, "instruction_chain: must be a list, not null"),
    (r#"{"instruction_chain":{}}"#, "instruction_chain: must be a list, not an object"),
    (r#"{"instruction_chain":[1]}"#, "step 1: must be an object, not 1"),
    // a step
    (
        r#"{"delay":"1s","times":2}"#,
        "step 1, times: only steps with an error or cut_after can have times",
    ),
    (
        r#"{"empty":"output"}"#,
        "step 1, empty: unknown value `output`; expected one of `outputs`, `choices`, `message`",
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
    (r#"{"cut_after":-1}"#, "step 1, cut_after: must be a whole number from 0 to 1000000, not -1"),
    (
        r#"{"error":{"code":"ABORTED"},"times":0}"#,
        "step 1, times: must be a whole number from 1 to 1000000, not 0",
    ),
    (
        r#"{"messages":[{"tool_call":[{"name":"f","args":{},"raw_args":""}]}]}"#,
        "step 1, item 1, call 1: has both args and raw_args; remove one of them",
    ),
    ("{}", "step 1: needs one of messages, respond, reasoning, error, delay, empty, cut_after"),
    (
        r#"{"messages":[]}"#,
        "step 1: needs one of messages, respond, reasoning, error, delay, empty, cut_after",
    ),
    (
        r#"{"id":"a"}"#,
        "step 1: needs one of messages, respond, reasoning, error, delay, empty, cut_after",
    ),
    (
        r#"{"instruction_chain":[{},{"messages":[{"text_message":{"length":10}}]}]}"#,
        "step 1: needs one of messages, respond, reasoning, error, delay, empty, cut_after",
    ),
    (
        r#"{"instruction_chain":[{"messages":[{"text":"a"}]},{"mesages":[]}]}"#,
        "step 2: unknown key `mesages`; expected one of `id`, `id_message`, `reasoning`, `messages`, `respond`, `finish_reason`, `other_choices`, `usage`, `delay`, `words_per_chunk`, `characters_per_chunk`, `chunk_delay`, `time_to_first_chunk`, `error`, `times`, `empty`, `cut_after`, `model`, `stream`, `recorded`",
    ),
    (
        r#"{"messages":[{"text":"a"}],"error":{"code":"ABORTED"}}"#,
        "step 1: has both messages and error; to fail after a text, make the error the last item",
    ),
    (r#"{"messages":"hi"}"#, r#"step 1, messages: must be a list, not "hi""#),
    (r#"{"delay":"1s","id":5}"#, "step 1, id: must be a text, not 5"),
    (r#"{"delay":"1s","id_message":true}"#, "step 1, id_message: must be a text, not true"),
    (r#"{"reasoning":5}"#, r#"step 1, reasoning: must be a text or {"length": N}, not 5"#),
    (r#"{"reasoning":{}}"#, "step 1, reasoning: the key `length` is missing"),
    (
        r#"{"reasoning":{"length":-1}}"#,
        "step 1, reasoning, length: must be a whole number from 0 to 100000, not -1",
    ),
    (
        r#"{"reasoning":{"length":10.5}}"#,
        "step 1, reasoning, length: must be a whole number from 0 to 100000, not 10.5",
    ),
    (
        r#"{"reasoning":{"length":"5"}}"#,
        r#"step 1, reasoning, length: must be a whole number from 0 to 100000, not "5""#,
    ),
    (
        r#"{"reasoning":{"length":1e9}}"#,
        "step 1, reasoning, length: must be a whole number from 0 to 100000, not 1000000000.0",
    ),
    (
        r#"{"reasoning":["It rains."]}"#,
        r#"step 1, reasoning: must be a text or {"length": N}, not a list"#,
    ),
    (
        r#"{"reasoning":{"length":1,"text":"x"}}"#,
        "step 1, reasoning: unknown key `text`; expected `length`",
    ),
    (
        r#"{"delay":"1s","finish_reason":"1234567890123456789012345678901234567890123456789012345678901234x"}"#,
        "step 1, finish_reason: must have at most 64 characters",
    ),
    (
        r#"{"delay":"1s","usage":{"total_tokens":1}}"#,
        "step 1, usage: unknown key `total_tokens`; expected one of `prompt_tokens`, `completion_tokens`, `reasoning_tokens`, `cached_tokens`",
    ),
    (
        r#"{"delay":"1s","usage":{"prompt_tokens":-1}}"#,
        "step 1, usage, prompt_tokens: must be a whole number from 0 to 9007199254740991, not -1",
    ),
    (
        r#"{"delay":"fast"}"#,
        r#"step 1, delay: "fast" is not a duration; use Go's format, such as 50ms or 1.5s"#,
    ),
    (r#"{"delay":"-1s"}"#, r#"step 1, delay: "-1s" is negative; use a duration of 0s or more"#),
    (r#"{"delay":50}"#, r#"step 1, delay: must be a duration such as "500ms", not 50"#),
    (
        r#"{"delay":"1s","chunk_delay":"1"}"#,
        r#"step 1, chunk_delay: "1" is not a duration; use Go's format, such as 50ms or 1.5s"#,
    ),
    (
        r#"{"delay":"1s","words_per_chunk":0}"#,
        "step 1, words_per_chunk: must be a whole number from 1 to 100000, not 0",
    ),
    (
        r#"{"delay":"1s","words_per_chunk":1,"characters_per_chunk":1}"#,
        "step 1: has both words_per_chunk and characters_per_chunk; remove one of them",
    ),
    (
        r#"{"respond":"a","messages":[{"text":"b"}]}"#,
        "step 1: has both respond and messages; remove one of them",
    ),
    (
        r#"{"respond":[]}"#,
        "step 1: needs one of messages, respond, reasoning, error, delay, empty, cut_after",
    ),
    (
        r#"{"respond":[{"txt":"a"}]}"#,
        "step 1, item 1: unknown key `txt`; expected one of `text`, `text_message`, `json`, `tool_call`, `system_prompt_echo`, `tools_list`, `tools_echo`, `tool_schema`, `tool_results`, `error`",
    ),
    (
        r#"{"respond":{"text":"a"}}"#,
        "step 1, respond: must be a text or a list of items here, not an object; put keys such as delay beside respond",
    ),
    // an item
    (r#"{"messages":["hi"]}"#, r#"step 1, item 1: must be an object, not "hi""#),
    (r#"{"messages":[null]}"#, "step 1, item 1: must be an object, not null"),
    (
        r#"{"messages":[{"text":"a"},{}]}"#,
        "step 1, item 2: has 0 kinds; expected exactly one of error, json, system_prompt_echo, text, text_message, tool_call, tool_results, tool_schema, tools_echo, tools_list",
    ),
    (
        r#"{"messages":[{"text":"a","json":1}]}"#,
        "step 1, item 1: has 2 kinds; expected exactly one of error, json, system_prompt_echo, text, text_message, tool_call, tool_results, tool_schema, tools_echo, tools_list",
    ),
    (
        r#"{"messages":[{"json":null}]}"#,
        "step 1, item 1: has 0 kinds; expected exactly one of error, json, system_prompt_echo, text, text_message, tool_call, tool_results, tool_schema, tools_echo, tools_list",
    ),
    (
        r#"{"messages":[{"server_tool_use":{"name":"x"}}]}"#,
        "step 1, item 1: unknown key `server_tool_use`; expected one of `text`, `text_message`, `json`, `tool_call`, `system_prompt_echo`, `tools_list`, `tools_echo`, `tool_schema`, `tool_results`, `error`",
    ),
    (r#"{"messages":[{"text":5}]}"#, "step 1, item 1, text: must be a text, not 5"),
    (
        r#"{"messages":[{"text_message":20}]}"#,
        "step 1, item 1, text_message: must be an object, not 20",
    ),
    (
        r#"{"messages":[{"text_message":{}}]}"#,
        "step 1, item 1, text_message: the key `length` is missing",
    ),
    (
        r#"{"messages":[{"tools_list":true}]}"#,
        "step 1, item 1, tools_list: must be an object, not true",
    ),
    (
        r#"{"messages":[{"tools_echo":{"name":"f"}}]}"#,
        "step 1, item 1, tools_echo: unknown key `name`; expected none",
    ),
    (
        r#"{"messages":[{"tool_schema":{"tool":"f"}}]}"#,
        "step 1, item 1, tool_schema: unknown key `tool`; expected `name`",
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
        "step 1, item 1, call 2: the key `name` is missing",
    ),
    (
        r#"{"messages":[{"tool_call":[{"name":null}]}]}"#,
        "step 1, item 1, call 1, name: must be a text, not null",
    ),
    (
        r#"{"messages":[{"tool_call":[{"name":""}]}]}"#,
        "step 1, item 1, call 1, name: must not be empty",
    ),
    (
        r#"{"messages":[{"tool_call":[{"name":"f","args":"{}"}]}]}"#,
        "step 1, item 1, call 1, args: must be an object",
    ),
    (
        r#"{"messages":[{"tool_call":[{"name":"f","arguments":{}}]}]}"#,
        "step 1, item 1, call 1: unknown key `arguments`; expected one of `name`, `args`, `raw_args`, `id`",
    ),
    (
        r#"{"messages":[{"tool_call":[{"name":"f","id":7}]}]}"#,
        "step 1, item 1, call 1, id: must be a text, not 7",
    ),
    // an error
    (r#"{"error":{}}"#, "step 1, error: the key `code` is missing"),
    (
        r#"{"error":{"code":"unavailable"}}"#,
        "step 1, error, code: unknown value `unavailable`; expected one of `CANCELLED`, `UNKNOWN`, `INVALID_ARGUMENT`, `DEADLINE_EXCEEDED`, `NOT_FOUND`, `ALREADY_EXISTS`, `PERMISSION_DENIED`, `RESOURCE_EXHAUSTED`, `FAILED_PRECONDITION`, `ABORTED`, `OUT_OF_RANGE`, `UNIMPLEMENTED`, `INTERNAL`, `UNAVAILABLE`, `DATA_LOSS`, `UNAUTHENTICATED`",
    ),
    (r#"{"error":{"code":14}}"#, "step 1, error, code: must be a text, not 14"),
    (
        r#"{"messages":[{"error":{"code":"ABORTED","retryAfter":"1s"}}]}"#,
        "step 1, item 1, error: unknown key `retryAfter`; expected one of `code`, `message`, `details`, `retry_after`",
    ),
    (
        r#"{"error":{"code":"ABORTED","retry_after":1}}"#,
        r#"step 1, error, retry_after: must be a duration such as "500ms", not 1"#,
    ),
    (
        r#"{"error":{"code":"ABORTED","details":{}}}"#,
        "step 1, error, details: the key `reason` is missing",
    ),
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
        r#"step 1, error, details, metadata, "a": must be a text, not 1"#,
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
        "step 1: duplicate key `messages`",
    ),
    (
        r#"{"delay":"3000000h"}"#,
        r#"step 1, delay: "3000000h" is too long; the longest duration is about 292 years (2562047h)"#,
    ),
    (
        r#"{"messages":[{"text":"\ud800"}]}"#,
        "step 1, item 1, text: cannot be parsed: unexpected end of hex escape",
    ),
];
