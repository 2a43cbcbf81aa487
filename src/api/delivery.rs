//! Errors that reach clients in another way than as a status.

use crate::{base::ending::Ending, chat::Delivery};

/// Returns how a response ends if the client does not get the error.
pub(in crate::api) fn early_ending(delivery: Delivery) -> Option<Ending> {
    match delivery {
        Delivery::Status | Delivery::StatusAfterHeaders => None,
        Delivery::BreakOff => Some(Ending::BreakOff),
        Delivery::Reset => Some(Ending::Reset),
    }
}
