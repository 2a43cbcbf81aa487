//! The service of the HTTP port, and what its APIs share.

pub(super) mod body;
pub(super) mod response;
mod service;
pub(super) mod url;

pub(crate) use self::service::Service;
