//! `mynah serve`: runs the sidecar until a signal arrives.

use std::pin::pin;

use super::{
    args::ServeArgs,
    error::CliError,
    signals::{self, Signals},
};
use crate::server::{App, Banner, Config};

/// Serves until a signal arrives, then drains. A second signal cuts the drain short.
pub(super) async fn serve(config: Config, args: &ServeArgs) -> Result<(), CliError> {
    let mut signals = Signals::for_shutdown().map_err(CliError::Signals)?;
    if args.exit_on_stdin_close {
        signals.end_with(signals::read_stdin_to_end).map_err(CliError::Signals)?;
    }
    let models = config.models.clone();
    let Ok(app) = signals.interrupt(App::bind(config)).await else { return Ok(()) };
    let app = app?;
    let banner = Banner {
        addresses: &app.addresses,
        engine: &app.engine,
        daprd: &app.daprd,
        inspector: app.inspector(),
        models: models.as_ref(),
    };
    banner.announce(args.log_as_json);
    if !args.ignored.0.is_empty() {
        // Dapr's Testcontainers module for .NET waits for these words of daprd.
        tracing::info!("serving as daprd does when it says: Internal gRPC server is running");
    }
    let drain = app.drain.clone();
    let mut serving = pin!(app.serve());
    tokio::select! {
        result = serving.as_mut() => return Ok(result?),
        _ = signals.next() => drain.start(),
    }
    tokio::select! {
        result = serving => Ok(result?),
        _ = signals.next() => Err(CliError::SecondSignal),
    }
}
