//! The sidecar as a whole: [`App`] binds addresses, serves calls, reloads components and drains.

mod addresses;
mod app;
mod banner;
mod component_sockets;
mod config;
mod error;
mod reload;

pub(crate) use self::{
    addresses::Addresses,
    app::App,
    banner::Banner,
    config::{ComponentSockets, Config, Daprd, JournalConfig, Ports},
    error::{ServeError, StartError},
};
