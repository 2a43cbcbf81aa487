//! `mynah serve`: runs the sidecar until a signal.

use std::pin::pin;

use super::{CliError, signals::Signals};
use crate::server::{App, Banner, Config};

/// Serves until a signal, which starts the drain. A second signal stops the drain.
pub(super) async fn serve(config: Config, log_as_json: bool) -> Result<(), CliError> {
    let mut signals = Signals::to_end().map_err(CliError::Signals)?;
    let app = App::bind(config).await?;
    Banner { addresses: app.addresses(), engine: app.engine() }.announce(log_as_json);
    let drain = app.drain().clone();
    let mut serving = pin!(app.serve());
    tokio::select! {
        ended = serving.as_mut() => return Ok(ended?),
        _ = signals.next() => drain.start(),
    }
    tokio::select! {
        ended = serving => Ok(ended?),
        _ = signals.next() => Err(CliError::SecondSignal),
    }
}
