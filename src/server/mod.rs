//! The sidecar as a whole: [`App`] binds addresses, serves calls, reloads components and drains.

mod addresses;
mod app;
mod banner;
mod config;
mod error;
mod reload;

pub(crate) use self::{
    addresses::Addresses,
    app::App,
    banner::Banner,
    config::{Config, Ports},
    error::{ServeError, StartError},
};
