//! The sidecar as a whole: [`App`] binds addresses, serves calls, reloads components and drains.

mod app;
mod banner;
mod config;
mod error;
mod listening;
mod model_source;
mod page;
mod reload;
mod services;
mod sessions;

pub(crate) use self::{
    app::App,
    banner::Banner,
    config::{Addresses, ComponentSockets, Config, Daprd, JournalConfig, Ports},
    error::{ServeError, StartError},
    model_source::{MissedConfig, ModelSource, UpstreamConfig},
    page::Page,
};
