use std::num::NonZeroUsize;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::Semaphore;
use tokio::task::yield_now;
use tokio::time::Sleep;

use crate::http::body::BodyFault;
use crate::server::ticket::Ticket;

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

/// How much of a body is read in one go, in bytes, before other connections have their turn. Large
/// bodies have theirs one after the other, each after another look at the sockets: 16 of them in a row
/// would keep everybody else waiting for milliseconds.
const TURN_BYTES: u64 = 64 << 10;

/// What large bodies have to share.
#[derive(Clone)]
pub(crate) struct LargeBodies {
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
}

impl LargeBodies {
    /// For a server of this many threads.
    pub(crate) fn new(threads: NonZeroUsize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(LARGE_BODIES)),
            turns: Arc::new(Semaphore::new(threads.get())),
        }
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
    /// Others have had their turn, or have it now; then the next large body may.
    turn_is_over: bool,
    large: LargeBodies,
    /// Taken until the body is dropped.
    place: Ticket,
    /// Taken for one turn of a large body.
    turn_ticket: Ticket,
    /// Set once the body has made us wait.
    clock: Option<Pin<Box<Sleep>>>,
}

impl<B: Body<Data = Bytes>> Intake<B> {
    pub(crate) fn new(inner: B, limit_bytes: usize, large: &LargeBodies) -> Self {
        Self {
            inner,
            limit: limit_bytes as u64,
            seen: 0,
            turn: 0,
            turn_is_over: false,
            large: large.clone(),
            place: Ticket::NotNeeded,
            turn_ticket: Ticket::NotNeeded,
            clock: None,
        }
    }

    /// Whether more is to come of a body that is no small one.
    fn needs_place(&self) -> bool {
        self.seen >= SMALL_BYTES && !self.inner.is_end_stream()
    }

    /// Waits for what a large body needs before more of it is read.
    fn poll_large(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.needs_place() {
            return Poll::Ready(());
        }
        let waited = ready!(self.place.poll(&self.large.places, cx));
        self.put_off(waited);
        let waited = ready!(self.turn_ticket.poll(&self.large.turns, cx));
        self.put_off(waited);
        Poll::Ready(())
    }

    /// Allows the body as much more time as the replica let it wait.
    fn put_off(&mut self, waited: Duration) {
        if let Some(clock) = &mut self.clock
            && !waited.is_zero()
        {
            let later = clock.deadline() + waited;
            clock.as_mut().reset(later);
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
        if this.turn_is_over {
            this.turn_is_over = false;
            this.turn_ticket = Ticket::NotNeeded;
        }
        if this.turn >= TURN_BYTES {
            this.turn = 0;
            this.turn_is_over = true;
            // Not before everybody else who can go on has, and sockets were looked at.
            ready!(pin!(yield_now()).poll(cx));
        }
        ready!(this.poll_large(cx));
        let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(cx) else {
            this.turn = 0;
            this.turn_ticket = Ticket::NotNeeded;
            ready!(this.poll_clock(cx));
            return Poll::Ready(Some(Err(BodyFault::Slow)));
        };
        if frame.is_none() || this.inner.is_end_stream() {
            this.turn_ticket = Ticket::NotNeeded;
        }
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

    fn large_bodies(threads: usize) -> LargeBodies {
        LargeBodies::new(NonZeroUsize::new(threads).unwrap())
    }

    /// Reads until the body has to wait, and says how many bytes came.
    fn poll_once(intake: &mut Intake<Endless>) -> usize {
        let mut cx = Context::from_waker(Waker::noop());
        let mut came = 0;
        while let Poll::Ready(frame) = Pin::new(&mut *intake).poll_frame(&mut cx) {
            came += frame.unwrap().unwrap().into_data().unwrap().len();
        }
        came
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
        // Turns enough for all, since nobody polls a body again that has come.
        let large = large_bodies(64);
        let mut all: Vec<_> = (0..64)
            .map(|_| Intake::new(Endless, LIMIT, &large))
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
        let mut intake = Intake::new(Endless, LIMIT, &large_bodies(1));
        let mut cx = Context::from_waker(Waker::noop());
        for _ in 0..3 {
            for _ in 0..TURN_BYTES / PIECE as u64 {
                assert!(Pin::new(&mut intake).poll_frame(&mut cx).is_ready());
            }
            assert!(Pin::new(&mut intake).poll_frame(&mut cx).is_pending());
        }
    }

    #[tokio::test]
    async fn large_bodies_have_their_turns_one_after_the_other() {
        let large = large_bodies(1);
        let turn = usize::try_from(TURN_BYTES).unwrap();
        let mut all: Vec<_> = (0..3)
            .map(|_| Intake::new(Endless, LIMIT, &large))
            .collect();
        for intake in &mut all {
            assert_eq!(read(intake, turn), turn, "none of them is large yet");
        }
        let mut came = [0; 3];
        for _ in 0..12 {
            let before = came;
            // As a runtime does between two looks at the sockets: whoever can go on is polled.
            for (intake, came) in all.iter_mut().zip(&mut came) {
                *came += poll_once(intake);
            }
            let turns = came.iter().sum::<usize>() - before.iter().sum::<usize>();
            assert!(turns <= turn, "{before:?} {came:?}");
        }
        assert_eq!(came, [3 * turn; 3], "and in a fair order");
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
