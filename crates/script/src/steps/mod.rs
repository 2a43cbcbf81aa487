//! Steps: the answer of the model in one turn, written by the author of a script.

// source         the format of steps
//   error_source   the format of scripted errors
//   recorded       what a recording says of a step
//   values         values that are checked when they are read
//   step_schema    the parts of the schema that are about several keys
// keys           the keys that need or exclude each other
// keys_of        lists the keys of an object
// read           reads JSON
//   misplaced      says where misplaced keys belong
// check          checks the keys, and returns a step
// quoted         quotes text in errors
// step           the types of a checked step
// error          the error for an invalid step
// answer         generates a step's answer
//   directives     texts that depend on the request
//   filler         filler text

mod answer;
mod check;
mod directives;
mod error;
mod error_source;
mod filler;
mod keys;
mod keys_of;
mod misplaced;
mod quoted;
mod read;
mod recorded;
mod source;
mod step;
mod step_schema;
mod values;

pub use self::error::StepError;
pub(crate) use self::{
    answer::{MAX_TEXT, answer, long_answer},
    error::PathSegment,
    error_source::{ErrorSource, MAX_MESSAGE},
    keys::{MESSAGES, RESPOND},
    keys_of::keys_of,
    quoted::quoted,
    read::{read, read_as, read_members, read_object, schema_of},
    source::{AnswerSource, Chunks, StepSource},
    step::{Item, Reasoning, ScriptedCall, Step, Times},
    values::{GoDuration, MAX_EXACT, Scalar, Text, True, Whole, Word, compact},
};
