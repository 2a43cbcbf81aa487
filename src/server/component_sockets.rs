//! Binds the sockets on which daprd finds pluggable components.

use std::{fs, sync::Arc};

use super::{config::Config, error::StartError};
use crate::{
    api::{component, guard::Guard},
    base::drain::Drain,
    engine::Engine,
    net::{self, HttpVersions, Listener, Protocol},
};

/// The instances of all sockets may take one part in this number of the memory.
const MEMORY_SHARE: usize = 4;

/// Binds a socket for each name, and makes their folder if it does not exist.
pub(super) async fn bind(
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
    let instances = Arc::new(guard.memory.share(MEMORY_SHARE));
    let mut bound = Vec::new();
    for name in &sockets.names {
        let path = sockets.folder.join(format!("{name}.sock"));
        let flag = "DAPR_COMPONENTS_SOCKETS_FOLDER";
        let listener = net::bind_socket(&path, Some(sockets.mode), flag).await?;
        let (engine, guard, files) = (engine.clone(), guard.clone(), sockets.files.clone());
        let memory = guard.memory.clone();
        let (context, drain) = (config.context(), drain.clone());
        let service =
            component::Service::new(engine, guard, context, files, instances.clone(), drain);
        bound.push((listener, Protocol::new(HttpVersions::Http2, service, memory)));
    }
    Ok(bound)
}
