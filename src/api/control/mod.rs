//! The control API, with which tests ask what a sidecar was asked.

mod failure;
mod journal;
mod query;
mod reset;
mod service;

pub(super) use self::service::{Service, serves};
