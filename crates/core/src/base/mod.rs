//! General types and functions: time, units, files, diagnostics, the terminal. Uses no other room.

pub mod blocking;
pub mod clock;
pub mod condition;
pub mod delivery;
pub mod diagnostics;
pub mod drain;
pub mod duration;
pub mod endpoint;
pub mod environment;
pub mod file_lock;
pub mod files;
pub mod json_pointer;
pub mod json_size;
pub mod kept_memory;
pub mod mapping;
pub mod memory;
pub mod number;
pub mod panics;
pub mod pattern;
pub mod quantity;
pub mod reader_message;
pub mod redactor;
pub mod schema_keys;
pub mod secrets;
pub mod template;
pub mod terminal;
pub mod text;
pub mod text_or_mapping;
pub mod timeouts;
pub mod work;
pub mod word_diff;
pub mod yaml;

pub use mynah_json_schema as json_schema;
