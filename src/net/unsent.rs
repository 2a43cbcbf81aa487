//! Tracks which parts of responses a client has not taken yet.

use std::{
    error::Error,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture};
use hyper::body::{Body, Frame, SizeHint};

use super::{
    calls::Call,
    ending::{BrokenOff, take_ending},
};
use crate::base::{clock, ending::Ending, memory::MemoryBudget};

type BoxError = Box<dyn Error + Send + Sync>;

/// Size of the largest piece that is sent at once. Also the largest HTTP/2 frame by default.
const PIECE: usize = 16 * 1024;
/// A client must take each piece within three to four of these intervals. Go's clients, among
/// others, read nothing while a debugger has stopped them.
const INTERVAL: Duration = Duration::from_secs(10);
const GENERATIONS: usize = 4;
/// How often, and how many times, to check whether the client has taken everything.
const CHECK_INTERVAL: Duration = Duration::from_millis(2);
const CHECKS: usize = 500;

/// The pieces that one connection has not sent yet, counted by age.
#[derive(Debug)]
pub(super) struct Unsent {
    budget: Arc<MemoryBudget>,
    /// The number of unsent pieces for each of the last intervals in which they were created.
    pieces: [AtomicUsize; GENERATIONS],
    /// The index of the current interval in `pieces`.
    now: AtomicUsize,
}

/// A response body in pieces that a connection tracks until they are sent.
pub(super) struct TrackedBody<B> {
    body: B,
    /// What is left of the last data frame of `body`.
    rest: Bytes,
    unsent: Arc<Unsent>,
    call: Call,
    /// The wait before the response breaks off.
    breaking_off: Option<BoxFuture<'static, ()>>,
}

/// A piece that is not sent yet. HTTP/1.1 and HTTP/2 drop it when it is.
struct Piece {
    bytes: Bytes,
    created: usize,
    unsent: Arc<Unsent>,
}

impl Unsent {
    pub(super) fn new(budget: Arc<MemoryBudget>) -> Self {
        Self { budget, pieces: Default::default(), now: AtomicUsize::new(0) }
    }

    /// Completes when a piece has been waiting for the client for more than 30 s.
    pub(super) async fn stalled(&self) {
        loop {
            clock::pause(INTERVAL).await;
            let next = (self.now.load(Ordering::Relaxed) + 1) % GENERATIONS;
            if self.pieces[next].load(Ordering::Relaxed) > 0 {
                return;
            }
            self.now.store(next, Ordering::Relaxed);
        }
    }

    /// Completes when the client has taken everything, or after a second.
    async fn sent(&self) {
        for _ in 0..CHECKS {
            clock::pause(CHECK_INTERVAL).await;
            if self.is_empty() {
                return;
            }
        }
    }

    /// Whether the client has taken everything.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.iter().all(|pieces| pieces.load(Ordering::Relaxed) == 0)
    }

    fn track(self: &Arc<Self>, bytes: Bytes) -> Bytes {
        let created = self.now.load(Ordering::Relaxed);
        self.pieces[created].fetch_add(1, Ordering::Relaxed);
        self.budget.add(bytes.len());
        Bytes::from_owner(Piece { bytes, created, unsent: self.clone() })
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.unsent.pieces[self.created].fetch_sub(1, Ordering::Relaxed);
        self.unsent.budget.remove(self.bytes.len());
    }
}

impl<B> TrackedBody<B> {
    /// Counts the call until the body is sent or dropped.
    pub(super) fn new(body: B, unsent: Arc<Unsent>, call: Call) -> Self {
        Self { body, rest: Bytes::new(), unsent, call, breaking_off: None }
    }

    /// Ends the response in this way when the client has taken what precedes the end.
    fn end(&mut self, ending: Ending) {
        let (unsent, activity) = (self.unsent.clone(), self.call.activity().clone());
        let sent = async move {
            unsent.sent().await;
            if ending == Ending::Reset {
                activity.reset();
            }
        };
        self.breaking_off = Some(sent.boxed());
    }

    fn next_piece(&mut self) -> Frame<Bytes> {
        // Copied, since a part of the frame would keep the memory of the whole.
        let piece = Bytes::copy_from_slice(&self.rest.split_to(self.rest.len().min(PIECE)));
        Frame::data(self.unsent.track(piece))
    }
}

impl<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin> Body for TrackedBody<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Some(sent) = &mut self.breaking_off {
            return sent.poll_unpin(cx).map(|()| Some(Err(BrokenOff.into())));
        }
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(self.next_piece())));
        }
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        let Some(frame) = frame.transpose().map_err(Into::into)? else {
            return Poll::Ready(None);
        };
        Poll::Ready(Some(Ok(match frame.into_data() {
            Ok(data) if data.len() > PIECE => {
                self.rest = data;
                self.next_piece()
            }
            Ok(data) => Frame::data(self.unsent.track(data)),
            Err(mut trailers) => match take_ending(&mut trailers) {
                Ending::Trailers => trailers,
                ending => {
                    self.end(ending);
                    return self.poll_frame(cx);
                }
            },
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.breaking_off.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (body, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower().saturating_add(rest));
        if let Some(upper) = body.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint
    }
}
