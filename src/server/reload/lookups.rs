//! The calls whose components only daprd may have.

use std::future;

use tokio::sync::mpsc;

use crate::{
    component::Context,
    engine::{Lookup, Lookups},
    upstream::list_components,
    wire::error::Error,
};

/// The calls that wait until the components of daprd are loaded.
#[derive(Debug, Default)]
pub(super) struct ReceivedLookups {
    /// `None` if no daprd calls real models.
    receiver: Option<mpsc::Receiver<Lookup>>,
    waiting: Vec<Lookup>,
}

impl ReceivedLookups {
    /// Returns what sends lookups.
    pub(super) fn open(&mut self) -> Lookups {
        let (lookups, receiver) = Lookups::new();
        self.receiver = Some(receiver);
        lookups
    }

    /// Waits for lookups. Never completes if there can be none. May be cancelled.
    pub(super) async fn receive(&mut self) {
        let received = match &mut self.receiver {
            Some(receiver) => receiver.recv_many(&mut self.waiting, usize::MAX).await,
            None => 0,
        };
        if received == 0 {
            future::pending().await
        }
    }

    /// Lists the components of daprd, once for all calls that wait. Returns `true` if they have changed,
    /// so that they must be loaded before the calls are answered.
    pub(super) async fn list(&mut self, context: &Context) -> bool {
        let Some((address, token)) = context.daprd() else { return false };
        let listed = list_components(address, token).await;
        let listed = listed.map_err(|error| Error::DaprdUnavailable {
            address: address.to_owned(),
            reason: error.to_string(),
        });
        match listed.map(|listed| context.daprd_components.replace(listed)) {
            Ok(true) => return true,
            Ok(false) => self.answer(&Ok(())),
            Err(error) => self.answer(&Err(error)),
        }
        false
    }

    /// Answers the calls that wait.
    pub(super) fn answer(&mut self, result: &Result<(), Error>) {
        // A caller that has left needs no answer.
        self.waiting.drain(..).for_each(|lookup| drop(lookup.send(result.clone())));
    }
}
