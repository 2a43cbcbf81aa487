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
mod duplicates;
mod extract;
mod history;
mod rendering;

pub use self::{
    arguments::{Arguments, CallKey, InvalidArguments},
    call::{call_message, display_name, instructions},
    duplicates::{DuplicateDetector, DuplicatePolicy, Verdict, validate},
    extract::{CallReader, ExtractedCall, extract, extract_all},
    history::correction,
    rendering::{ExecutedCall, Rendering, ToolResult, ToolTurn, Wording, failure_text},
};
pub(super) use self::{
    call::truncated_argument,
    history::{
        CIRCUIT_OPEN, INTERRUPTED, NOT_RUN, correction_text, error_executing, not_found,
        since_prompt,
    },
};
