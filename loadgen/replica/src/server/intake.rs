use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::task::yield_now;
use tokio::time::{Instant, Sleep};

use crate::http::body::BodyFault;

/// How much of a body may be held before it has to be one of the [`LargeBodies`], in bytes.
const SMALL_BYTES: u64 = 64 << 10;

/// How many bodies beyond [`SMALL_BYTES`] are read at the same time, also those that are read only
/// to be thrown away: they take processor time too. Held at once are then at most this many times
/// the body limit, and [`SMALL_BYTES`] for each connection.
const LARGE_BODIES: usize = 16;

/// How long a body may take to arrive, however small: as in Apache's `RequestReadTimeout body=20`.
const PATIENCE: Duration = Duration::from_secs(20);

/// The rate that each further byte up to the body limit must keep up on average, in bytes/s.
const MIN_RATE_PER_S: u32 = 16 << 10;

/// How much of a body is read in one go, in bytes, before other connections have their turn.
const TURN_BYTES: u64 = 64 << 10;

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
    /// What of that has come since others had their turn.
    turn: u64,
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
        permit: Pin<Box<dyn Future<Output = Permit> + Send>>,
    },
    /// Taken until the body is dropped.
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
            turn: 0,
            places: Arc::clone(&places.0),
            place: Place::NotNeeded,
            clock: None,
        }
    }

    /// Whether more is to come of a body that is no small one.
    fn needs_place(&self) -> bool {
        self.seen >= SMALL_BYTES && !self.inner.is_end_stream()
    }

    fn poll_place(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.needs_place() {
            return Poll::Ready(());
        }
        loop {
            match &mut self.place {
                Place::Taken { .. } => return Poll::Ready(()),
                Place::NotNeeded => {
                    self.place = Place::Waiting {
                        since: Instant::now(),
                        permit: Box::pin(Arc::clone(&self.places).acquire_owned()),
                    };
                }
                Place::Waiting { since, permit } => {
                    let permit = ready!(permit.as_mut().poll(cx));
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
        self.turn = self.turn.saturating_add(bytes as u64);
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
        if this.turn >= TURN_BYTES {
            this.turn = 0;
            // Not before everybody else who can go on has, and sockets were looked at.
            ready!(pin!(yield_now()).poll(cx));
        }
        ready!(this.poll_place(cx));
        let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(cx) else {
            this.turn = 0;
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::task::Waker;

    use super::*;

    const LIMIT: usize = 4 << 20;
    const PIECE: usize = 16 << 10;

    /// A body without end that is all there.
    struct Endless;

    impl Body for Endless {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[0; PIECE])))))
        }
    }

    /// Reads up to `bytes` more, in as many turns as that takes, and says how many came.
    fn read(intake: &mut Intake<Endless>, bytes: usize) -> usize {
        let mut cx = Context::from_waker(Waker::noop());
        let (mut came, mut pending) = (0, 0);
        while came < bytes && pending < 3 {
            match Pin::new(&mut *intake).poll_frame(&mut cx) {
                Poll::Ready(frame) => {
                    came += frame.unwrap().unwrap().into_data().unwrap().len();
                    pending = 0;
                }
                Poll::Pending => pending += 1,
            }
        }
        came
    }

    #[tokio::test]
    async fn what_all_bodies_hold_together_is_bounded() {
        let places = LargeBodies::default();
        let mut all: Vec<_> = (0..64)
            .map(|_| Intake::new(Endless, LIMIT, &places))
            .collect();
        let came: Vec<_> = all.iter_mut().map(|i| read(i, LIMIT)).collect();
        let small = usize::try_from(SMALL_BYTES).unwrap();
        assert!(came[..LARGE_BODIES].iter().all(|n| *n == LIMIT), "{came:?}");
        assert!(came[LARGE_BODIES..].iter().all(|n| *n == small), "{came:?}");
        // Nothing is held beyond the limit, but reading goes on.
        assert_eq!(read(&mut all[0], LIMIT), LIMIT);
        assert_eq!(read(&mut all[LARGE_BODIES], LIMIT), 0);
        // Whoever ends leaves the place to the next in line.
        drop(all.remove(0));
        assert_eq!(read(&mut all[LARGE_BODIES - 1], LIMIT), LIMIT);
        assert_eq!(read(&mut all[LARGE_BODIES], LIMIT), 0);
    }

    #[tokio::test]
    async fn a_body_that_is_all_there_lets_others_have_their_turn() {
        let mut intake = Intake::new(Endless, LIMIT, &LargeBodies::default());
        let mut cx = Context::from_waker(Waker::noop());
        for _ in 0..3 {
            for _ in 0..TURN_BYTES / PIECE as u64 {
                assert!(Pin::new(&mut intake).poll_frame(&mut cx).is_ready());
            }
            assert!(Pin::new(&mut intake).poll_frame(&mut cx).is_pending());
        }
    }

    #[test]
    fn time_grows_with_what_has_come_up_to_the_limit() {
        let s = Duration::from_secs;
        let rate = u64::from(MIN_RATE_PER_S);
        assert_eq!(allowed(0, LIMIT as u64), PATIENCE);
        assert_eq!(allowed(10 * rate, LIMIT as u64), PATIENCE + s(10));
        let most = PATIENCE + s(256);
        assert_eq!(allowed(LIMIT as u64, LIMIT as u64), most);
        assert_eq!(allowed(u64::MAX, LIMIT as u64), most);
    }
}
