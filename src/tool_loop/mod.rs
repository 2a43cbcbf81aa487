//! The tool loop: call the model, run the tools that it asks for, give the results back.
//!
//! Today it holds [`transcript`], what such a conversation looks like.

pub mod transcript;
