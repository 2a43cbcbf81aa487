//! Binds the sockets on which daprd finds pluggable components.

use std::{fs, sync::Arc};

use super::{config::Config, error::StartError};
use crate::{
    api::{component, guard::Guard},
    base::drain::Drain,
    component::Context,
    engine::Engine,
    net::{self, HttpVersions, Listener, Protocol},
};

/// Binds a socket for each name, and makes their folder if it does not exist.
pub(super) fn bind(
    config: &Config,
    engine: &Arc<Engine>,
    guard: &Arc<Guard>,
    drain: &Drain,
) -> Result<Vec<(Listener, Protocol)>, StartError> {
    let sockets = &config.component_sockets;
    if !sockets.names.is_empty() {
        let failed = |source| StartError::SocketFolder { path: sockets.folder.clone(), source };
        fs::create_dir_all(&sockets.folder).map_err(failed)?;
    }
    let bind = |name: &String| {
        let path = sockets.folder.join(format!("{name}.sock"));
        let listener =
            net::bind_socket(&path, Some(sockets.mode), "DAPR_COMPONENTS_SOCKETS_FOLDER")?;
        let (engine, guard) = (engine.clone(), guard.clone());
        let memory = guard.memory.clone();
        let context = Context { files: sockets.files.clone(), ..config.context() };
        let service = component::Service::new(engine, guard, context, drain.clone());
        Ok((listener, Protocol::new(HttpVersions::Http2, service, memory)))
    };
    sockets.names.iter().map(bind).collect()
}
