//! The HTTP surface of Dapr's API.

mod converse;
mod failure;
mod health;
mod metadata;
mod service;

use self::failure::Failure;
pub(in crate::api) use self::service::Service;
