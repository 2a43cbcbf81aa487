//! Runs the tools that a language model calls.
//!
//! The [`tool_loop`] calls a [`Provider`](mynah_core::provider::Provider) and runs the tools that the
//! model calls. With the feature `tools`, [`tools`] loads tools from files.

#![forbid(unsafe_code)]

pub mod tool_loop;
#[cfg(feature = "tools")]
pub mod tools;
