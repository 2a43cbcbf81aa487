//! Tool loop runs that signals can cancel.

use std::{io::Write, sync::Arc};

use futures_util::StreamExt;

use super::{error::Error, event_printer::EventPrinter};
use crate::{
    chat::Request,
    cli::signals::{Signal, Signals},
    client::{self, RemoteComponent},
    tool_loop::{CancellationToken, LoopEnd, LoopEvent, LoopResult, ToolLoop},
};

/// Runs the tool loop and prints its events.
pub(super) struct Runner<W> {
    tool_loop: ToolLoop,
    model: Arc<RemoteComponent>,
    printer: EventPrinter<W>,
    signals: Signals,
}

/// A run that has ended.
pub(super) struct FinishedRun {
    pub(super) result: LoopResult,
    /// The signal that cancelled the run.
    signal: Option<Signal>,
}

impl<W: Write> Runner<W> {
    pub(super) fn new(
        model: RemoteComponent,
        tool_loop: ToolLoop,
        printer: EventPrinter<W>,
    ) -> Result<Self, Error> {
        let signals = Signals::for_cancellation().map_err(Error::Terminal)?;
        Ok(Self { tool_loop, model: Arc::new(model), printer, signals })
    }

    pub(super) fn model_name(&self) -> &str {
        self.model.name()
    }

    /// Waits for the next signal while no run is in progress.
    pub(super) async fn next_signal(&mut self) -> Signal {
        self.signals.next().await.signal
    }

    /// Runs the loop until it ends. A signal cancels the run.
    pub(super) async fn run(&mut self, request: Request) -> Result<FinishedRun, Error> {
        let cancel = CancellationToken::new();
        let mut events =
            self.tool_loop.run(self.model.clone(), request).cancel_with(cancel.clone()).stream();
        let mut cancelled_by = None;
        loop {
            let event = tokio::select! {
                event = events.next() => event.ok_or(client::Error::Truncated)?,
                received = self.signals.next() => {
                    cancelled_by = Some(received.signal);
                    cancel.cancel();
                    continue;
                }
            };
            self.printer.print(&event)?;
            if let LoopEvent::Ended(result) = event {
                return Ok(FinishedRun { result, signal: cancelled_by });
            }
        }
    }
}

impl FinishedRun {
    /// Returns an error unless the run ended with an answer.
    pub(super) fn check_answered(&self) -> Result<(), Error> {
        match (&self.result.end, self.signal) {
            (LoopEnd::Answered, _) => Ok(()),
            (LoopEnd::Cancelled, Some(signal)) => Err(Error::Cancelled(signal)),
            (end, _) => Err(Error::Ended { end: end.clone(), turns: self.result.turns }),
        }
    }
}
