//! Finds what rules cannot express, such as arguments of tool calls that are nested too deep.

use mynah_core::base::yaml;

use super::document::{self, Answer, Rule};
use crate::rules::reader::Reader;

/// Checks that a rule with these conditions and this answer is valid. Returns the reason if it is not.
pub(super) fn check(number: usize, conditions: &str, respond: &str) -> Result<(), String> {
    let (conditions, answer) = (conditions.to_owned(), Answer::Respond(respond.to_owned()));
    let text = document::write(&[Rule { file: None, number, conditions, priority: None, answer }]);
    let mut reader = Reader::default();
    reader.read(yaml::parse_own(&text));
    let Some(error) = reader.errors.into_iter().next() else { return Ok(()) };
    let label = format!("{}: ", reader.within);
    Err(error.message.strip_prefix(&label).unwrap_or(&error.message).to_owned())
}
