//! Recordings: files of rules that repeat what a model has answered.
//!
//! A [`Recording`] is the file of a component. Each exchange is a rule whose condition is the whole
//! [request](crate::rules::matching::request::RequestForm).

// exchange   a request and its answer
// recording  the file of a component, to which exchanges are added
//   outline    the parts of a file
//   document   how a rule is written
//   long_texts the long texts of requests
//   written    a rule as text, which can be read again
//   readable   which values are read again as they are written
//   room       how much a recording has
// names      the names of files and rules

mod document;
mod exchange;
mod long_texts;
mod names;
mod outline;
mod readable;
mod recording;
mod room;
mod written;
#[cfg(test)]
mod tests;

pub use self::{
    exchange::{Exchange, Recorded, RecordedAnswer, redact_answer},
    names::file_name,
    recording::{Added, RecordedRule, Recording, TOOLS, Unwritten},
    room::MAX_MIB,
};
