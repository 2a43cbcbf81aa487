//! The conditions of rules on calls.
//!
//! A [`Match`] is the `match` of a rule, of an expectation and of a query about the calls so far. It
//! is applied to a [`MatchedCall`]. If it does not hold, each [`Mismatch`] says which condition failed
//! and what the call has instead.

// format       the keys of a match in files
//   nested       conditions inside of conditions
//   name         conditions on names
//   count        conditions on numbers
//   parameter    conditions on parameters
//   response_format  conditions on the response format
//   texts        conditions on texts
//   tool_result  conditions on the results of tools
//   user         conditions on the last user message
//   request      the condition that a request is the recorded one
// condition    a checked condition, and whether it holds for a call
// comparison   what a condition expects, and what the call has
// distance     how far a call is from matching
// captures     the texts that patterns capture
// call         a call, as conditions see it
//   field        the texts of a call
// mismatch     a condition that does not hold

mod call;
mod captures;
mod comparison;
mod condition;
mod count;
mod distance;
mod field;
mod format;
mod mismatch;
mod name;
mod nested;
mod parameter;
pub mod request;
mod response_format;
#[cfg(test)]
mod tests;
mod texts;
mod tool_result;
mod user;

pub(super) use self::format::VARIABLES;
pub use self::{
    call::{CallOrigin, MatchedCall},
    captures::Captures,
    count::Count,
    format::Match,
    mismatch::Mismatch,
};
pub(super) use self::{condition::Requirement, distance::Distance, field::Searched};
