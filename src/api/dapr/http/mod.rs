//! The HTTP surface of Dapr's API.

mod body;
mod converse;
mod failure;
mod health;
mod metadata;
mod service;
mod url;

use self::failure::Failure;
pub(crate) use self::service::Service;
