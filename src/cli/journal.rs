//! `mynah journal`: prints the calls of a sidecar.

use std::{
    io::{self, Write},
    time::Duration,
};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::control_client::{ControlClient, ControlClientError};
use crate::{
    base::{clock, environment::Environment, terminal::escape_controls_in_json},
    cli::args::JournalArgs,
};

/// Poll interval for new calls.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Prints the calls as JSON lines, and then new ones until the output is closed.
pub(super) async fn journal(
    args: &JournalArgs,
    environment: &Environment,
) -> Result<(), ControlClientError> {
    let client = ControlClient::new(args.endpoint.as_deref(), environment)?;
    let mut since = args.since;
    loop {
        let page = client.get(&path(args, since)).await?;
        if print(&page).is_err() {
            // The reader is gone.
            return Ok(());
        }
        since = page["next"].as_u64().unwrap_or(since);
        if page["more"] != true {
            if !args.follow {
                return Ok(());
            }
            clock::pause(POLL_INTERVAL).await;
        }
    }
}

fn path(args: &JournalArgs, since: u64) -> String {
    let mut path = format!("/journal?since={since}");
    for (name, value) in [("session", &args.session), ("component", &args.component)] {
        if let Some(value) = value {
            path += &format!("&{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC));
        }
    }
    path
}

fn print(page: &Value) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for entry in page["entries"].as_array().into_iter().flatten() {
        writeln!(stdout, "{}", escape_controls_in_json(&entry.to_string()))?;
    }
    stdout.flush()
}
