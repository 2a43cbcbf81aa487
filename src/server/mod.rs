//! The sidecar as a whole: [`App`](app::App) binds, serves, reloads and drains.

pub mod app;
pub mod banner;
pub mod config;
mod reload;
