//! What the parts of mynah share: the conversation types in [`chat`], the trait [`Provider`] and what a
//! provider knows of a call in [`provider`], and general types and functions in [`base`].
//!
//! [`Provider`]: provider::Provider

#![forbid(unsafe_code)]

pub mod base;
pub mod chat;
pub mod provider;
