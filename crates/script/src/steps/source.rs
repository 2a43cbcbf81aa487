//! The format of steps. The doc comments are also the descriptions in the JSON Schema.

use std::borrow::Cow;

use mynah_core::{base::mapping::Mapping, chat::MissingPart};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    error_source::ErrorSource,
    recorded::{RecordedSource, StreamSource},
    step::{Length, Reasoning, StepUsage, Times},
    step_schema,
    values::{ChunkLength, GoDuration, Json, JsonObject, Scalar, Text, Whole, Word},
};

/// Number of chunks before a response breaks off.
pub(crate) type Chunks = Whole<0, 1_000_000>;

/// The answer in one turn. Requires messages, respond, reasoning, error, delay, empty or cut_after.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Step", transform = step_schema::add_step_rules)]
pub(crate) struct StepSource<'a> {
    /// Label for the log.
    pub(super) id: Option<String>,
    /// Second label for the log.
    pub(super) id_message: Option<String>,
    /// The model's reasoning: a text, or a number of filler words. Its words count in the usage, and
    /// OpenAI's API transmits it.
    pub(super) reasoning: Option<Reasoning>,
    /// Texts and tool calls. Texts are joined by a blank line. An error must be the last item, and
    /// excludes tool calls.
    pub(super) messages: Option<Items>,
    /// A text, or texts and tool calls. Excludes messages.
    #[serde(borrow)]
    pub(super) respond: Option<Respond<'a>>,
    /// Any text. Models use stop, tool_calls, length and content_filter. Default: tool_calls if there are
    /// calls, otherwise stop.
    pub(super) finish_reason: Option<Text<64>>,
    /// The other choices, of a model that gives several answers.
    pub(super) other_choices: Option<Vec<Mapping<ChoiceSource>>>,
    /// Replaces the actual token counts, or leaves them all out: none.
    pub(super) usage: Option<StepUsage>,
    /// Delay before the turn.
    pub(super) delay: Option<GoDuration>,
    /// Words per chunk of a stream.
    pub(super) words_per_chunk: Option<ChunkLength>,
    /// Characters per chunk of a stream, so that chunks end within words. Excludes words_per_chunk.
    pub(super) characters_per_chunk: Option<ChunkLength>,
    /// Delay between chunks.
    pub(super) chunk_delay: Option<GoDuration>,
    /// Delay before the first chunk.
    pub(super) time_to_first_chunk: Option<GoDuration>,
    /// The turn fails without an answer.
    pub(super) error: Option<Mapping<ErrorSource>>,
    /// How often the error is the answer to the same request, before the next step is. Such a step is
    /// not counted as a turn. Requires an error or cut_after.
    pub(super) times: Option<Times>,
    /// The part of the response that is left out. Excludes messages, respond, error and cut_after.
    pub(super) empty: Option<Word<MissingPart>>,
    /// Number of chunks after which a stream breaks off. A response that is not streamed always breaks
    /// off. Excludes errors.
    pub(super) cut_after: Option<Chunks>,
    /// Name of the model; empty for none. Default: that of the component.
    pub(super) model: Option<String>,
    /// The chunks of a recorded stream.
    pub(super) stream: Option<Mapping<StreamSource>>,
    /// Where a recorded answer comes from. Such an answer is not cut to the token limit of a request.
    pub(super) recorded: Option<Mapping<RecordedSource>>,
}

/// The items of a step.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(inline, transform = step_schema::exclude_calls_and_error)]
pub(crate) struct Items(pub(super) Vec<Mapping<ItemSource>>);

/// Another choice: one more answer to the same request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Choice")]
pub(crate) struct ChoiceSource {
    /// The model's reasoning: a text, or a number of filler words.
    pub(super) reasoning: Option<Reasoning>,
    /// Texts and tool calls. Texts are joined by a blank line.
    pub(super) messages: Items,
    /// Any text. Default: tool_calls if there are calls, otherwise stop.
    pub(super) finish_reason: Option<Text<64>>,
}

/// A text or the items of a step.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(transparent)]
pub(crate) struct Respond<'a>(#[serde(borrow)] pub(super) &'a RawValue);

/// A text, a list of items, or a step.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(transparent)]
pub(crate) struct AnswerSource<'a>(#[serde(borrow)] pub(super) &'a RawValue);

/// A part of the answer, of exactly one kind.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Item", transform = step_schema::require_one_key)]
pub(super) struct ItemSource {
    /// Text. May be empty.
    pub(super) text: Option<String>,
    /// Filler text with this many words.
    pub(super) text_message: Option<Mapping<Length>>,
    /// A JSON value, sent as compact text.
    pub(super) json: Option<Json>,
    /// Tool calls.
    #[schemars(extend("minItems" = 1))]
    pub(super) tool_call: Option<Vec<Mapping<CallSource>>>,
    /// Text of the first system message.
    pub(super) system_prompt_echo: Option<Mapping<Nothing>>,
    /// Names of the offered tools.
    pub(super) tools_list: Option<Mapping<Nothing>>,
    /// Names and descriptions of the offered tools.
    pub(super) tools_echo: Option<Mapping<Nothing>>,
    /// Description and schema of an offered tool.
    pub(super) tool_schema: Option<Mapping<OfferedTool>>,
    /// Results of the latest tool calls, one per line.
    pub(super) tool_results: Option<Mapping<Nothing>>,
    /// The turn fails at this point. Streams send the text before it.
    pub(super) error: Option<Mapping<ErrorSource>>,
}

/// A tool call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ScriptedCall", transform = step_schema::exclude_raw_args)]
pub(super) struct CallSource {
    /// Name of the tool.
    #[schemars(length(min = 1))]
    pub(super) name: String,
    /// Arguments. Default: {}.
    pub(super) args: Option<JsonObject>,
    /// The text of the arguments, which need not be JSON. Excludes args.
    pub(super) raw_args: Option<String>,
    /// Id of the call. Default: derived from the history.
    pub(super) id: Option<String>,
}

/// A tool of the request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(super) struct OfferedTool {
    /// Name of the tool.
    pub(super) name: Option<String>,
}

/// An object without keys.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(super) struct Nothing {}

impl JsonSchema for Respond<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Respond".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                generator.subschema_for::<Scalar>(),
                generator.subschema_for::<Items>(),
            ],
        })
    }
}

impl JsonSchema for AnswerSource<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Answer".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A text, a list of items, or a step.",
            "anyOf": [generator.subschema_for::<Respond>(), generator.subschema_for::<StepSource>()],
            "not": { "enum": [[]] },
        })
    }
}
