//! A deterministic generator of requests that use every field.

use std::collections::BTreeMap;

use mynah::internals::wire::proto::{
    ConversationInput, ConversationInputAlpha2, ConversationMessage, ConversationRequest,
    ConversationRequestAlpha2, ConversationTools,
};
use prost::Message;
use prost_types::Any;
use serde_json::{Value as Json, json};

use crate::support::messages::{
    as_struct, assistant, assistant_with_calls, developer, encoded_schema, input, system, tool,
    tool_call, tool_result, user,
};

/// A xorshift64 generator.
pub struct Generator(u64);

impl Default for Generator {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

const TEXTS: [&str; 14] = [
    "",
    " ",
    "Hello, world!",
    "What's the weather in San Francisco?",
    "Send an email to jane@example.com. Then create a new user!",
    "get_weather と calculate を 使って",
    "Größe: 10 + 5 * 2 = ?",
    "العربية و 天気 🦜🦜",
    "line one\nline two\r\n\tline three",
    r#"{"city":"Oslo","count":3}"#,
    "search for \"quoted\" <b>text</b> & more\u{2028}end",
    "call every_kind, nested_tool and plain",
    "e\u{301}\u{200d}\u{fe0f} \u{10ffff} zero\u{0}byte",
    "schedule the meeting in the calendar for Monday at noon, please",
];

const TOOLS: [&str; 8] = [
    "get_weather",
    "sendEmail",
    "calculate",
    "every_kind",
    "nested_tool",
    "plain",
    "create_user",
    "schedule-meeting",
];

const ROLES: [&str; 8] =
    ["user", "system", "assistant", "ai", "tool", "function", "generic", "никто"];

impl Generator {
    /// Returns a number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % bound as u64).expect("below a usize")
    }

    /// Returns `true` with a probability of 1 in `times`.
    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Returns up to `max` values.
    fn several<T>(&mut self, max: usize, value: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.below(max + 1)).map(|_| value(self)).collect()
    }

    /// Returns a value in half of the cases.
    fn maybe<T>(&mut self, value: impl Fn(&mut Self) -> T) -> Option<T> {
        self.one_in(2).then(|| value(self))
    }

    /// Returns the name of a component, which usually exists.
    fn component(&mut self) -> String {
        if self.one_in(20) { "unknown" } else { "echo" }.to_owned()
    }

    fn context_id(&mut self) -> String {
        self.pick(&["", "context-1", "контекст"]).to_owned()
    }

    fn temperature(&mut self) -> f64 {
        self.below(9) as f64 / 4.0 - 0.5
    }

    pub fn alpha2(&mut self) -> ConversationRequestAlpha2 {
        let tools = self.several(6, Self::tool);
        ConversationRequestAlpha2 {
            name: self.component(),
            context_id: self.maybe(Self::context_id),
            inputs: self.inputs(),
            parameters: self.parameters(),
            metadata: self.metadata(),
            scrub_pii: self.maybe(|this| this.one_in(2)),
            temperature: self.maybe(Self::temperature),
            tool_choice: self.tool_choice(!tools.is_empty()),
            tools,
            response_format: self.one_in(3).then(|| encoded_schema(&self.schema())),
            prompt_cache_retention: self.maybe(|this| prost_types::Duration {
                seconds: this.below(90_000) as i64,
                nanos: 500_000_000 * this.below(2) as i32,
            }),
            max_tokens: self.maybe(|this| this.below(4_000) as i64),
        }
    }

    pub fn alpha1(&mut self) -> ConversationRequest {
        let input = |this: &mut Self| ConversationInput {
            content: this.pick(&TEXTS).to_owned(),
            role: this.maybe(|this| this.pick(&ROLES).to_owned()),
            scrub_pii: this.maybe(|this| this.one_in(2)),
        };
        ConversationRequest {
            name: self.component(),
            context_id: self.maybe(Self::context_id),
            inputs: self.several(5, input),
            parameters: self.parameters(),
            metadata: self.metadata(),
            scrub_pii: self.maybe(|this| this.one_in(2)),
            temperature: self.maybe(Self::temperature),
        }
    }

    fn inputs(&mut self) -> Vec<ConversationInputAlpha2> {
        let count = if self.one_in(20) { 0 } else { 1 + self.below(3) };
        (0..count).map(|_| input(self.several(4, Self::message))).collect()
    }

    /// Returns a message, usually a user message.
    fn message(&mut self) -> ConversationMessage {
        let text = self.pick(&TEXTS);
        match self.below(10) {
            0 => system(text),
            1 => developer(text),
            2 => assistant(text),
            3 => {
                let ids = ["call_1", "call_2"];
                assistant_with_calls(
                    text,
                    ids.map(|id| tool_call(id, self.pick(&TOOLS), r#"{"a": 1}"#)),
                )
            }
            4 => tool_result(self.pick(&["call_1", "call_2", ""]), self.pick(&TOOLS), text),
            _ => user(text),
        }
    }

    fn tool(&mut self) -> ConversationTools {
        let name = self.pick(&TOOLS);
        if self.one_in(6) {
            return tool(name, Json::Null);
        }
        let names = ["location", "email", "count", "tags", "when", "Ünïcode", "options", "query"];
        let properties = self.several(5, |this| (this.pick(&names).to_owned(), this.schema()));
        let properties: serde_json::Map<_, _> = properties.into_iter().collect();
        tool(name, json!({"type": "object", "properties": properties}))
    }

    /// Returns a JSON Schema of any kind. Some schemas are unsatisfiable.
    fn schema(&mut self) -> Json {
        match self.below(16) {
            0 => json!({"type": "string"}),
            1 => json!({"type": "string", "format": self.pick(&["email", "date-time", "uuid"])}),
            2 => json!({"type": "string", "pattern": "^[a-f]{3,5}-[0-9]+$"}),
            3 => json!({"type": "string", "minLength": 40, "maxLength": 60}),
            4 => json!({"type": "integer", "minimum": self.below(100), "maximum": 120}),
            5 => json!({"type": "number", "multipleOf": 0.25, "exclusiveMaximum": 7}),
            6 => json!({"type": "boolean"}),
            7 => json!({"type": "array", "items": self.schema(), "minItems": self.below(3)}),
            8 => json!({"type": "object", "properties": {
                "b": self.schema(), "a": self.schema(), "ц": {"type": "null"},
            }}),
            9 => json!({"enum": [self.pick(&TEXTS), 2, null]}),
            10 => json!({"const": {"deep": [1, "two"]}}),
            11 => json!({"anyOf": [{"type": "null"}, self.schema()]}),
            12 => json!({"$ref": "#/$defs/x", "$defs": {"x": {"type": "string"}}}),
            13 => json!({"type": ["null", "integer"], "default": self.below(9)}),
            14 => json!({"type": "integer", "minimum": 5, "maximum": 1}),
            _ => json!({"allOf": [{"type": "object"}, {"properties": {"x": {"type": "string"}}}]}),
        }
    }

    fn tool_choice(&mut self, has_tools: bool) -> Option<String> {
        let choices = ["", "auto", "none", "auto", "required", "get_weather"];
        let count = if has_tools || self.one_in(9) { choices.len() } else { 3 };
        self.maybe(|this| this.pick(&choices[..count]).to_owned())
    }

    fn metadata(&mut self) -> BTreeMap<String, String> {
        let names = ["key", "model", "session", "Größe", "temperature", "a b", "z"];
        let entry =
            |this: &mut Self| (this.pick(&names).to_owned(), this.pick(&["1", "0.5"]).to_owned());
        self.several(4, entry).into_iter().collect()
    }

    /// Returns values of well-known types, packed as clients pack them.
    fn parameters(&mut self) -> BTreeMap<String, Any> {
        let names = ["max_tokens", "top_p", "stop", "seed", "user", "Ж", "extra"];
        self.several(5, |this| (this.pick(&names).to_owned(), this.any())).into_iter().collect()
    }

    fn any(&mut self) -> Any {
        match self.below(11) {
            0 => pack("StringValue", &self.pick(&TEXTS).to_owned()),
            1 => pack("Int64Value", &(self.below(5_000) as i64 - 2_500)),
            2 => pack("UInt32Value", &(self.below(5_000) as u32)),
            3 => pack("DoubleValue", &self.temperature()),
            4 => pack("BoolValue", &self.one_in(2)),
            5 => pack("BytesValue", &self.pick(&TEXTS).as_bytes().to_vec()),
            6 => {
                let nested = json!({"z": 1, "a": {"c": [1, "two", null], "b": self.schema()}});
                pack("Struct", &as_struct(&nested))
            }
            7 => {
                let seconds = self.below(99) as i64;
                pack("Duration", &prost_types::Duration { seconds, nanos: 5_000_000 })
            }
            8 => pack("Timestamp", &prost_types::Timestamp { seconds: 1_700_000_000, nanos: 0 }),
            9 => {
                let paths = vec!["a.b".to_owned(), "c".to_owned()];
                pack("FieldMask", &prost_types::FieldMask { paths })
            }
            _ => pack("Struct", &as_struct(&Json::Object(self.members()))),
        }
    }

    fn members(&mut self) -> serde_json::Map<String, Json> {
        let member = |this: &mut Self| (format!("key{}", this.below(50)), json!(this.below(9)));
        self.several(8, member).into_iter().collect()
    }
}

fn pack(name: &str, message: &impl Message) -> Any {
    let type_url = format!("type.googleapis.com/google.protobuf.{name}");
    Any { type_url, value: message.encode_to_vec() }
}
