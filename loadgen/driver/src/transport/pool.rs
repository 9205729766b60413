use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::SendRequest;
use loadgen_measure::SlotLimit;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::Trace;
use super::driven::Driven;
use super::io::Io;

/// How often connections that carry nothing are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A connection between two requests.
#[derive(Debug)]
pub(super) enum Line {
    /// Nobody looks at it meanwhile.
    Bare(Io),
    /// It is hyper's.
    Hyper(Sender),
}

impl Line {
    /// Whether a request may be sent over it, as far as is known.
    fn is_good(&mut self) -> bool {
        match self {
            Self::Bare(io) => io.is_quiet(),
            Self::Hyper(sender) => !sender.half.is_closed(),
        }
    }
}

/// The sending half of a connection, which is closed with it.
#[derive(Debug)]
pub(super) struct Sender {
    pub(super) half: SendRequest<Full<Bytes>>,
    /// Reads that gave something, so far.
    pub(super) reads: Rc<Cell<u64>>,
    pub(super) _connection: Driven,
}

/// The HTTP/1.1 connections of one thread: kept-alive ones per replica, newest first, and a hard limit
/// over all of them. At the limit an idle connection to another replica is closed to make room; when none
/// is idle, requests wait in order.
#[derive(Debug)]
pub(super) struct Pool {
    inner: RefCell<Inner>,
    limit: usize,
    /// How long a connection may carry nothing and still be used.
    idle_timeout: Option<Duration>,
}

#[derive(Debug)]
struct Inner {
    /// With the moment since which each carries nothing.
    idle: Vec<Vec<(Line, Instant)>>,
    open: usize,
    open_max: usize,
    /// When they are looked at again.
    look_at: Option<Instant>,
    waiting: VecDeque<(u16, oneshot::Sender<Lease>)>,
}

/// The right to one connection to a replica. It holds a kept-alive connection, or none yet. Dropping
/// it gives the right back and closes what it holds; [`Lease::keep`] gives it back for reuse.
#[derive(Debug)]
pub(super) struct Lease {
    pool: Rc<Pool>,
    to: u16,
    kept: Option<Line>,
    returned: bool,
}

impl Pool {
    pub(super) fn new(replicas: usize, limit: usize, idle_timeout: Option<Duration>) -> Rc<Self> {
        Rc::new(Self {
            inner: RefCell::new(Inner {
                idle: (0..replicas).map(|_| Vec::new()).collect(),
                open: 0,
                open_max: 0,
                look_at: None,
                waiting: VecDeque::new(),
            }),
            limit: limit.max(1),
            idle_timeout,
        })
    }

    /// A right to a connection to replica `to`, with a kept-alive connection if there is one; `None` if
    /// that has to be waited for.
    pub(super) fn lease_at_once(self: &Rc<Self>, to: u16) -> Option<Lease> {
        self.try_lease(&mut self.inner.borrow_mut(), to)
    }

    /// The same, waiting for it where need be, which is noted in the trace.
    pub(super) async fn lease(self: &Rc<Self>, to: u16, trace: &Trace) -> Lease {
        let wait = {
            let mut inner = self.inner.borrow_mut();
            if let Some(lease) = self.try_lease(&mut inner, to) {
                return lease;
            }
            let (grant, wait) = oneshot::channel();
            inner.waiting.push_back((to, grant));
            wait
        };
        trace.stands_in_line(SlotLimit::Connections);
        let lease = wait
            .await
            .expect("a waiting request is granted before the pool is dropped");
        trace.has_slot();
        lease
    }

    /// Looks at all that carry nothing; see [`Inner::look`].
    pub(super) fn look(&self) {
        self.inner.borrow_mut().let_go();
    }

    /// Most connections that were open at one time.
    pub(super) fn open_max(&self) -> usize {
        self.inner.borrow().open_max
    }

    fn try_lease(self: &Rc<Self>, inner: &mut Inner, to: u16) -> Option<Lease> {
        while let Some((mut line, since)) = inner.idle[usize::from(to)].pop() {
            let too_old = self.idle_timeout.is_some_and(|t| since.elapsed() >= t);
            if !too_old && line.is_good() {
                return Some(self.grant(to, Some(line)));
            }
            inner.open -= 1;
        }
        if inner.open >= self.limit {
            // Oldest first: the least recently used one of the fullest list.
            let fullest = inner.idle.iter_mut().max_by_key(|list| list.len())?;
            if fullest.is_empty() {
                return None;
            }
            drop(fullest.remove(0));
            inner.open -= 1;
        }
        inner.open += 1;
        inner.open_max = inner.open_max.max(inner.open);
        Some(self.grant(to, None))
    }

    fn grant(self: &Rc<Self>, to: u16, kept: Option<Line>) -> Lease {
        Lease {
            pool: Rc::clone(self),
            to,
            kept,
            returned: false,
        }
    }

    /// Takes a right back, with the connection when it can be used again.
    fn give_back(self: &Rc<Self>, from: u16, mut line: Option<(Line, Instant)>) {
        loop {
            let mut inner = self.inner.borrow_mut();
            let Some((to, grant)) = inner.waiting.pop_front() else {
                match line {
                    Some(line) => {
                        let since = line.1;
                        inner.idle[usize::from(from)].push(line);
                        inner.look(since);
                    }
                    None => inner.open -= 1,
                }
                return;
            };
            drop(inner);
            let kept = if to == from { line.take() } else { None };
            // One that the peer has closed meanwhile is closed here too, and the right stays.
            let kept = kept.and_then(|(mut line, _)| line.is_good().then_some(line));
            match grant.send(self.grant(to, kept)) {
                Ok(()) => return,
                // Nobody waits there any more: take the right out of the lease and try the next.
                Err(mut lease) => {
                    lease.returned = true;
                    line = line.or(lease.kept.take().map(|kept| (kept, Instant::now())));
                }
            }
        }
    }
}

impl Inner {
    /// Lets go of idle connections that their peers have closed, when it is time to look: nobody else
    /// notices it while they carry nothing.
    fn look(&mut self, now: Instant) {
        let at = *self.look_at.get_or_insert_with(|| now + LOOK_EVERY);
        if now >= at {
            self.look_at = Some(now + LOOK_EVERY);
            self.let_go();
        }
    }

    fn let_go(&mut self) {
        for list in &mut self.idle {
            let before = list.len();
            list.retain_mut(|(line, _)| line.is_good());
            self.open -= before - list.len();
        }
    }
}

impl Lease {
    /// The kept-alive connection, once.
    pub(super) fn take_kept(&mut self) -> Option<Line> {
        self.kept.take()
    }

    /// Puts a connection back, to be closed with the lease unless it is kept.
    pub(super) fn hold(&mut self, line: Line) {
        self.kept = Some(line);
    }

    /// Gives the right back with the connection that it holds, which can carry another request and has
    /// carried nothing since then.
    pub(super) fn keep(mut self, since: Instant) {
        self.returned = true;
        let line = self.kept.take().map(|line| (line, since));
        self.pool.give_back(self.to, line);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Closed before another one may be made in its place.
        self.kept = None;
        if !self.returned {
            self.pool.give_back(self.to, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::LocalSet;

    use super::super::answering::Answering;
    use super::super::io::Wire;
    use super::*;

    #[tokio::test]
    async fn the_limit_holds_and_waiters_are_served_in_order() {
        let pool = Pool::new(2, 2, None);
        let trace = Trace::default();
        let first = pool.lease(0, &trace).await;
        let second = pool.lease(1, &trace).await;
        assert_eq!(trace.slot_wait(), None);
        let mut third = Box::pin(pool.lease(0, &trace));
        let mut fourth = Box::pin(pool.lease(1, &trace));
        for lease in [&mut third, &mut fourth] {
            let poll = std::future::poll_fn(|cx| {
                std::task::Poll::Ready(lease.as_mut().poll(cx).is_pending())
            });
            assert!(poll.await);
        }
        drop(first);
        let third = third.await;
        drop(second);
        let fourth = fourth.await;
        assert_eq!(pool.open_max(), 2);
        assert!(matches!(
            trace.slot_wait(),
            Some((SlotLimit::Connections, _))
        ));
        drop((third, fourth));
        assert_eq!(pool.inner.borrow().open, 0);
    }

    #[tokio::test]
    async fn a_waiter_that_gave_up_loses_nothing() {
        let pool = Pool::new(1, 1, None);
        let trace = Trace::default();
        let only = pool.lease(0, &trace).await;
        {
            let mut gone = Box::pin(pool.lease(0, &trace));
            let poll = std::future::poll_fn(|cx| {
                std::task::Poll::Ready(gone.as_mut().poll(cx).is_pending())
            });
            assert!(poll.await);
        }
        drop(only);
        assert_eq!(pool.inner.borrow().open, 0);
        drop(pool.lease(0, &trace).await);
    }

    /// A connection to a peer that stays.
    async fn connected() -> (Line, tokio::io::DuplexStream) {
        let (near, far) = tokio::io::duplex(64);
        let io = hyper_util::rt::TokioIo::new(near);
        let (half, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
        let sender = Sender {
            half,
            reads: Rc::default(),
            _connection: Driven::new(connection),
        };
        (Line::Hyper(sender), far)
    }

    /// A connection that the peer has closed, which is known.
    async fn closed() -> Io {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let near = tokio::net::TcpStream::connect(listener.local_addr().unwrap());
        let (near, far) = tokio::join!(near, listener.accept());
        let mut io = Io::new(Wire::Plain(near.unwrap()), &Answering::new(Instant::now()));
        drop(far);
        while io.is_quiet() {
            tokio::task::yield_now().await;
        }
        io
    }

    #[tokio::test]
    async fn whoever_waits_is_given_no_closed_connection() {
        let pool = Pool::new(1, 1, None);
        let trace = Trace::default();
        let mut lease = pool.lease(0, &trace).await;
        let mut waiter = Box::pin(pool.lease(0, &trace));
        let waits = std::future::poll_fn(|cx| {
            std::task::Poll::Ready(waiter.as_mut().poll(cx).is_pending())
        });
        assert!(waits.await);
        lease.hold(Line::Bare(closed().await));
        lease.keep(Instant::now());
        let mut granted = waiter.await;
        assert!(granted.take_kept().is_none());
        drop(granted);
        assert_eq!(pool.inner.borrow().open, 0);
    }

    #[tokio::test]
    async fn one_that_is_closed_meanwhile_is_let_go() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let near = tokio::net::TcpStream::connect(listener.local_addr().unwrap());
        let (near, far) = tokio::join!(near, listener.accept());
        let answering = Answering::new(Instant::now());
        let pool = Pool::new(1, 1, None);
        let trace = Trace::default();
        let mut lease = pool.lease(0, &trace).await;
        lease.hold(Line::Bare(Io::new(Wire::Plain(near.unwrap()), &answering)));
        let begin = Instant::now();
        lease.keep(begin);
        pool.look();
        assert_eq!(pool.inner.borrow().open, 1);
        drop(far);
        while pool.inner.borrow().open == 1 {
            tokio::task::yield_now().await;
            pool.look();
        }
        assert!(pool.lease(0, &trace).await.take_kept().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_idle_too_long_is_not_used_again() {
        LocalSet::new().run_until(too_old()).await;
    }

    async fn too_old() {
        let limit = Duration::from_secs(4);
        let pool = Pool::new(1, 1, Some(limit));
        let trace = Trace::default();
        let (line, _far) = connected().await;
        let mut lease = pool.lease(0, &trace).await;
        lease.hold(line);
        lease.keep(Instant::now());
        tokio::time::advance(limit / 2).await;
        let mut lease = pool.lease(0, &trace).await;
        let kept = lease.take_kept().expect("it is young enough");
        lease.hold(kept);
        lease.keep(Instant::now());
        tokio::time::advance(limit).await;
        assert!(pool.lease(0, &trace).await.take_kept().is_none());
        assert_eq!(pool.open_max(), 1);
    }
}
