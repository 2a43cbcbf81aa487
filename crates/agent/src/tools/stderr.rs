//! What a program that keeps running writes to standard error: its log.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use mynah_core::base::clock::within;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::AbortOnDropHandle,
};

use super::process::MAX_ERROR_TEXT;

/// Copies the log of a program to mynah's log.
#[derive(Debug)]
pub struct StderrLog {
    last_line: Arc<Mutex<String>>,
    end: CancellationToken,
    _copying: AbortOnDropHandle<()>,
}

impl StderrLog {
    /// Starts to copy in a task of the current runtime.
    pub fn copy(source: impl AsyncRead + Send + Unpin + 'static, program: String) -> Self {
        let (last_line, end) = (Arc::<Mutex<String>>::default(), CancellationToken::new());
        let copying = copy(source, program, last_line.clone(), end.clone().drop_guard());
        Self { last_line, end, _copying: AbortOnDropHandle::new(tokio::spawn(copying)) }
    }

    /// Waits at most `limit` for the end of the log. Returns its last line.
    pub async fn last_line(&self, limit: Duration) -> String {
        within(limit, self.end.cancelled()).await;
        self.last_line.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn copy(
    source: impl AsyncRead + Unpin,
    program: String,
    last_line: Arc<Mutex<String>>,
    _end: DropGuard,
) {
    let mut source = BufReader::new(source);
    let mut line = Vec::new();
    loop {
        let available = source.fill_buf().await.unwrap_or_default();
        if available.is_empty() {
            break report(&mut line, &program, &last_line);
        }
        let newline = memchr::memchr(b'\n', available);
        let end = newline.unwrap_or(available.len());
        // The rest of a long line is dropped.
        let kept = end.min(MAX_ERROR_TEXT - line.len());
        line.extend_from_slice(&available[..kept]);
        let consumed = end + usize::from(newline.is_some());
        source.consume(consumed);
        if newline.is_some() {
            report(&mut line, &program, &last_line);
        }
    }
}

fn report(line: &mut Vec<u8>, program: &str, last_line: &Mutex<String>) {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    if !text.is_empty() {
        tracing::debug!(server = program, "{text}");
        text.clone_into(&mut last_line.lock().unwrap_or_else(PoisonError::into_inner));
    }
    line.clear();
}
