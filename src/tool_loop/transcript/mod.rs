//! The transcript of a tool loop: how calls and results are written into a history, how calls are
//! read back, and which calls are duplicates. All of it is pure.
//!
//! A model that knows tools gets its history in the native [`Rendering`]; one that knows only text
//! gets it as text, and its calls are read from what it writes:
//!
//! ```
//! use mynah::tool_loop::transcript::{Arguments, call_message, extract};
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
//! Text says less than a call: it does not tell `"5"` from `5`, a comma ends a value, and a line
//! break in one makes the call unreadable. So duplicates are judged on calls, by a [`DuplicateLog`], and on
//! text only where a history has nothing else. Messages without a form of their own are
//! [`Message::new`](crate::chat::Message::new).

mod arguments;
mod call;
mod duplicates;
mod extract;
mod history;
mod key;
mod label;
mod name;
mod outcome;
mod rendering;
mod wording;

pub use arguments::{Arguments, InvalidArguments};
pub use call::call_message;
pub(super) use duplicates::correction_text;
pub use duplicates::{DuplicateLog, Duplicates, Verdict, correction, validate};
pub use extract::{Extracted, extract};
pub(super) use history::since_prompt;
pub use key::CallKey;
pub use name::display_name;
pub(super) use outcome::{ENDED, error_executing, not_found};
pub use outcome::{Outcome, ToolResult};
pub use rendering::{FinishedCall, Rendering, Turn};
pub use wording::{Detail, Executed, Wording, failure_text};
