use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep};

use crate::http::body::BodyFault;

/// How much of a body may be held before it has to be one of the [`LargeBodies`], in bytes.
const SMALL_BYTES: u64 = 64 << 10;

/// How many bodies beyond [`SMALL_BYTES`] are read at the same time. Held at once are then at most
/// this many times the body limit, and [`SMALL_BYTES`] for each connection.
const LARGE_BODIES: usize = 16;

/// How long a body may take to arrive, however small: as in Apache's `RequestReadTimeout body=20`.
const PATIENCE: Duration = Duration::from_secs(20);

/// The rate that each further byte up to the body limit must keep up on average, in bytes/s.
const MIN_RATE_PER_S: u32 = 16 << 10;

/// The places for large bodies.
pub(crate) struct LargeBodies(Arc<Semaphore>);

impl Default for LargeBodies {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(LARGE_BODIES)))
    }
}

/// A request body under watch: a large one waits for its place before more of it is read, and one
/// that comes too slowly is given up.
///
/// The time allowed is 20 s plus 1 s for each 16 KiB that have come, up to the body limit, without
/// the time that the replica itself let it wait. A body that is there already costs a comparison.
pub(crate) struct Intake<B = Incoming> {
    inner: B,
    /// The largest body that is held whole, in bytes.
    limit: u64,
    seen: u64,
    places: Arc<Semaphore>,
    place: Place,
    /// Set once the body has made us wait.
    clock: Option<Pin<Box<Sleep>>>,
}

type Permit = Result<OwnedSemaphorePermit, AcquireError>;

enum Place {
    NotNeeded,
    Waiting {
        since: Instant,
        turn: Pin<Box<dyn Future<Output = Permit> + Send>>,
    },
    /// Taken; given back when the body ends or is beyond the limit, since then nothing is held.
    Taken {
        _permit: OwnedSemaphorePermit,
    },
}

impl<B: Body<Data = Bytes>> Intake<B> {
    pub(crate) fn new(inner: B, limit_bytes: usize, places: &LargeBodies) -> Self {
        Self {
            inner,
            limit: limit_bytes as u64,
            seen: 0,
            places: Arc::clone(&places.0),
            place: Place::NotNeeded,
            clock: None,
        }
    }

    /// Whether what has come is held by the reader, and more than a connection may hold unasked.
    fn needs_place(&self) -> bool {
        self.seen > SMALL_BYTES
            && self.seen <= self.limit
            && self.inner.size_hint().lower() <= self.limit
    }

    fn poll_place(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.needs_place() {
            self.place = Place::NotNeeded;
            return Poll::Ready(());
        }
        loop {
            match &mut self.place {
                Place::Taken { .. } => return Poll::Ready(()),
                Place::NotNeeded => {
                    self.place = Place::Waiting {
                        since: Instant::now(),
                        turn: Box::pin(Arc::clone(&self.places).acquire_owned()),
                    };
                }
                Place::Waiting { since, turn } => {
                    let permit = ready!(turn.as_mut().poll(cx));
                    let waited = since.elapsed();
                    if let Some(clock) = &mut self.clock {
                        let later = clock.deadline() + waited;
                        clock.as_mut().reset(later);
                    }
                    self.place = Place::Taken {
                        _permit: permit.expect("nobody closes the places"),
                    };
                }
            }
        }
    }

    fn poll_clock(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.clock
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(allowed(self.seen, self.limit))))
            .as_mut()
            .poll(cx)
    }

    fn came(&mut self, bytes: usize) {
        let before = allowed(self.seen, self.limit);
        self.seen = self.seen.saturating_add(bytes as u64);
        if let Some(clock) = &mut self.clock {
            let later = clock.deadline() + (allowed(self.seen, self.limit) - before);
            clock.as_mut().reset(later);
        }
    }
}

/// How long a body may take of which `seen` bytes have come.
fn allowed(seen: u64, limit: u64) -> Duration {
    PATIENCE + Duration::from_secs(seen.min(limit)) / MIN_RATE_PER_S
}

impl<B> Body for Intake<B>
where
    B: Body<Data = Bytes, Error: Into<BodyFault>> + Unpin,
{
    type Data = Bytes;
    type Error = BodyFault;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyFault>>> {
        let this = self.get_mut();
        ready!(this.poll_place(cx));
        let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(cx) else {
            ready!(this.poll_clock(cx));
            return Poll::Ready(Some(Err(BodyFault::Slow)));
        };
        Poll::Ready(frame.map(|frame| {
            let frame = frame.map_err(Into::into)?;
            if let Some(data) = frame.data_ref() {
                this.came(data.len());
            }
            Ok(frame)
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
