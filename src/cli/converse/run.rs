//! One run of the tool loop at a terminal, which signals cancel.

use std::{io::Write, sync::Arc};

use futures_util::StreamExt;

use super::{error::Error, tell::Teller};
use crate::{
    chat::Request,
    cli::signals::{Signal, Signals},
    client::{self, RemoteComponent},
    tool_loop::{CancellationToken, EndReason, LoopEvent, LoopResult, ToolLoop},
};

/// What all runs share.
pub(super) struct Runner<W> {
    pub(super) tool_loop: Arc<ToolLoop>,
    pub(super) model: Arc<RemoteComponent>,
    pub(super) teller: Teller<W>,
    pub(super) signals: Signals,
}

/// A run that has ended.
pub(super) struct Ran {
    pub(super) result: LoopResult,
    /// What cancelled it.
    pub(super) signal: Option<Signal>,
}

impl<W: Write> Runner<W> {
    /// Runs the loop to its end, or to a signal, and tells of it.
    pub(super) async fn run(&mut self, request: Request) -> Result<Ran, Error> {
        let cancel = CancellationToken::new();
        let tool_loop = self.tool_loop.clone();
        let mut events = tool_loop.run_stream(self.model.clone(), request, cancel.clone());
        let mut cancelled_by = None;
        loop {
            let event = tokio::select! {
                event = events.next() => event.ok_or(client::Error::BrokenOff)?,
                signal = self.signals.next() => {
                    cancelled_by = Some(signal);
                    cancel.cancel();
                    continue;
                }
            };
            self.teller.tell(&event)?;
            if let LoopEvent::Ended(result) = event {
                return Ok(Ran { result, signal: cancelled_by });
            }
        }
    }
}

impl Ran {
    /// Why there is no answer, if there is none.
    pub(super) fn answered(&self) -> Result<(), Error> {
        match (&self.result.end, self.signal) {
            (EndReason::Answered, _) => Ok(()),
            (EndReason::Cancelled, Some(signal)) => Err(Error::Cancelled(signal)),
            (end, _) => Err(Error::Ended { end: end.clone(), turns: self.result.turns }),
        }
    }
}
