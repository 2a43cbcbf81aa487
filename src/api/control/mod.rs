//! The control API, with which tests ask what a sidecar was asked.

mod body;
mod explain;
mod failure;
mod faults;
mod journal;
mod openapi;
mod query;
mod reset;
mod resources;
mod rules;
mod schemas;
mod service;
mod verdict;
mod verify;

pub(super) use self::service::{Service, serves};
