//! The command line: what the user may write, and one file or folder for each command.

pub mod args;
pub mod check;
pub mod converse;
pub mod logging;
pub mod run;
pub mod schema;
pub mod signals;
