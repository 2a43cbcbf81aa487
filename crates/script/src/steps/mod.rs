//! Steps: the answer of the model in one turn, written by the author of a script.

// parse         parses and validates a step
//   error_item  parses scripted errors
//   json        parses JSON value by value
// quoted        quotes text in errors
// step          the types of a parsed step
// error         the error for an invalid step
// answer        generates a step's answer
//   directives  texts that depend on the request
//   filler      filler text

mod answer;
mod directives;
mod error;
mod error_item;
mod filler;
mod json;
mod parse;
mod quoted;
mod step;

pub use self::error::StepError;
pub(crate) use self::{
    answer::{Answer, MAX_TEXT, answer, long_answer},
    error::PathSegment,
    error_item::error,
    json::{
        Object, boolean, bounded_string, compact, duration, has_key, integer, items, number, string,
    },
    parse::{STEP_KEYS, cut_after, missing_part, step},
    quoted::quoted,
    step::{Item, Reasoning, ScriptedCall, Step},
};
