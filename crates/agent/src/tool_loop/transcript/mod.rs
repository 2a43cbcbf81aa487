//! Transcripts of tool loops: writes calls and results into a history, reads calls back, and
//! detects duplicates. All functions are pure.
//!
//! Models with tool support get the native [`Rendering`]. Models without tool support get the
//! history as text, and calls are read from the text of their answers:
//!
//! ```
//! use mynah_agent::tool_loop::transcript::{Arguments, call_message, extract};
//! use serde_json::json;
//!
//! let arguments = Arguments::from([("query", json!("Rust")), ("num_results", json!(5))]);
//! let message = call_message("google_search", &arguments, 1);
//! let text = "AI ACTION (Turn 1): Executing Google Search with parameters: query: Rust, num_results: 5";
//! assert_eq!(message.text(), text);
//!
//! let call = extract(&message).unwrap();
//! assert_eq!((call.name.as_str(), call.arguments), ("google_search", arguments));
//! ```
//!
//! Text is less precise than a native call. `"5"` and `5` look the same, and a comma ends a value,
//! unless a [`CallReader`] knows the schema of the arguments. Long values are truncated. A
//! [`DuplicateDetector`] therefore reads text only in messages without native calls, and [`validate`]
//! does not read it, but also writes the proposed call as text, and compares the texts.
//!
//! [`instructions`] tells a model how to write calls. To create other messages, use the functions of
//! [`Message`](mynah_core::chat::Message).

mod arguments;
mod call;
mod comparison;
mod duplicates;
mod extract;
mod history;
mod instructions;
mod label;
mod outcome;
mod rendering;
mod schema;
mod wording;

pub use arguments::{Arguments, CallKey, InvalidArguments};
pub use call::call_message;
pub(super) use call::truncated_argument;
pub use duplicates::{DuplicateDetector, DuplicatePolicy, Verdict, validate};
pub use extract::{CallReader, ExtractedCall, extract, extract_all};
pub(super) use history::since_prompt;
pub use instructions::instructions;
pub use label::display_name;
pub use outcome::correction;
pub(super) use outcome::{
    CIRCUIT_OPEN, INTERRUPTED, NOT_RUN, correction_text, error_executing, not_found,
};
pub use rendering::{Rendering, ToolTurn};
pub use wording::{ExecutedCall, ToolResult, Wording, failure_text};
