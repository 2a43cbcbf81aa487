//! A gRPC client for Dapr sidecars (mynah and daprd).
//!
//! [`RemoteComponent`] makes a conversation component of a sidecar available as a
//! [`Provider`](crate::provider::Provider). A [`ToolLoop`](crate::tool_loop::ToolLoop) can
//! therefore run tools for any model that Dapr supports:
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use mynah::{
//!     client::RemoteComponent,
//!     tool_loop::{LoopSettings, ToolLoop, ToolRegistry},
//! };
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let model = RemoteComponent::connect("127.0.0.1:50001", Some("echo"), None).await?;
//! let tool_loop = ToolLoop::new(ToolRegistry::new(), LoopSettings::default())?;
//! let result = tool_loop.run(Arc::new(model), "Hello!").await;
//! println!("{}", result.text());
//! # Ok(())
//! # }
//! ```

mod connection;
mod error;
#[cfg(feature = "server")]
mod lazy_component;
mod remote_component;

pub(crate) use self::connection::{Address, Client, MessageStream};
#[cfg(feature = "server")]
pub(crate) use self::lazy_component::LazyComponent;
pub use self::{error::Error, remote_component::RemoteComponent};
