//! The HTTP surface of Dapr's API.

mod converse;
mod failure;
mod health;
mod metadata;
mod service;

use self::failure::Failure;
pub(crate) use self::service::Service;
