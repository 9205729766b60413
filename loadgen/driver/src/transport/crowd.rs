use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use h2::client::SendRequest;
use loadgen_measure::SlotLimit;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use super::{Failure, Trace};

/// Streams that are handed out on a connection which does not know yet how many the server allows:
/// the least that RFC 9113 (section 6.5.2) recommends.
const UNTIL_KNOWN: usize = 100;

/// The HTTP/2 connections of one thread. A connection is filled up to the number of streams that the
/// server allows before the next one is made, and there is a hard limit over all connections. At the
/// limit an idle connection to another replica is closed to make room; when none is idle, requests
/// wait in order.
#[derive(Debug)]
pub(super) struct Crowd {
    inner: RefCell<Inner>,
    limit: usize,
    reuse: bool,
    idle_timeout: Option<Duration>,
}

#[derive(Debug)]
struct Inner {
    /// The usable ones, by replica.
    connections: Vec<Vec<Rc<Shared>>>,
    /// Usable ones, and those that are left with their last streams.
    open: usize,
    open_max: usize,
    waiting: VecDeque<(u16, oneshot::Sender<Place>)>,
}

/// A connection that requests share.
#[derive(Debug)]
pub(super) struct Shared {
    to: u16,
    streams: Cell<usize>,
    /// Left by all but those that are on it.
    left: Cell<bool>,
    idle_since: Cell<Option<Instant>>,
    state: RefCell<State>,
    made: Notify,
    pub(super) used: Cell<bool>,
    pub(super) connect: Cell<Option<Duration>>,
}

#[derive(Debug)]
enum State {
    Making,
    Made(SendRequest<Bytes>),
    Failed(Failure),
    /// The sending half is gone, so that the connection closes after its last stream.
    Left,
}

/// The right to one stream of a connection; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Place {
    crowd: Rc<Crowd>,
    pub(super) on: Rc<Shared>,
    /// Whether the connection is to be made by whoever holds this.
    pub(super) makes: bool,
    /// Streams on the connection when this one was added, itself included.
    rank: usize,
}

impl Crowd {
    pub(super) fn new(
        replicas: usize,
        limit: usize,
        reuse: bool,
        idle_timeout: Option<Duration>,
    ) -> Rc<Self> {
        Rc::new(Self {
            inner: RefCell::new(Inner {
                connections: (0..replicas).map(|_| Vec::new()).collect(),
                open: 0,
                open_max: 0,
                waiting: VecDeque::new(),
            }),
            limit: limit.max(1),
            reuse,
            idle_timeout,
        })
    }

    /// A right to a stream to replica `to`. A wait for it is noted in the trace.
    pub(super) async fn place(self: &Rc<Self>, to: u16, trace: &Trace) -> Place {
        let (wait, missing) = {
            let mut inner = self.inner.borrow_mut();
            if let Some(place) = self.try_place(&mut inner, to) {
                return place;
            }
            let full = !inner.connections[usize::from(to)].is_empty() && self.reuse;
            let (grant, wait) = oneshot::channel();
            inner.waiting.push_back((to, grant));
            let missing = if full {
                SlotLimit::Streams
            } else {
                SlotLimit::Connections
            };
            (wait, missing)
        };
        trace.stands_in_line(missing);
        let place = wait
            .await
            .expect("a waiting request is granted before the crowd is dropped");
        trace.has_slot();
        place
    }

    /// Most connections that were open at one time.
    pub(super) fn open_max(&self) -> usize {
        self.inner.borrow().open_max
    }

    fn try_place(self: &Rc<Self>, inner: &mut Inner, to: u16) -> Option<Place> {
        self.leave_the_idle(inner, to);
        let mut usable = inner.connections[usize::from(to)].iter();
        if let Some(on) = usable.find(|on| on.streams.get() < self.allowed(on)) {
            on.streams.set(on.streams.get() + 1);
            return Some(self.grant(Rc::clone(on), false));
        }
        if inner.open >= self.limit {
            let mut all = inner.connections.iter_mut();
            let (list, index) = all.find_map(|list| {
                let index = list.iter().position(|on| on.streams.get() == 0)?;
                Some((list, index))
            })?;
            list.remove(index).is_left();
            inner.open -= 1;
        }
        inner.open += 1;
        inner.open_max = inner.open_max.max(inner.open);
        let on = Rc::new(Shared {
            to,
            streams: Cell::new(1),
            left: Cell::new(false),
            idle_since: Cell::new(None),
            state: RefCell::new(State::Making),
            made: Notify::new(),
            used: Cell::new(false),
            connect: Cell::new(None),
        });
        inner.connections[usize::from(to)].push(Rc::clone(&on));
        Some(self.grant(on, true))
    }

    fn grant(self: &Rc<Self>, on: Rc<Shared>, makes: bool) -> Place {
        Place {
            crowd: Rc::clone(self),
            rank: on.streams.get(),
            on,
            makes,
        }
    }

    /// Streams that may be on it at one time.
    fn allowed(&self, on: &Shared) -> usize {
        if !self.reuse {
            return 1;
        }
        match &*on.state.borrow() {
            State::Made(sender) => sender.current_max_send_streams(),
            _ => UNTIL_KNOWN,
        }
    }

    /// Leaves the connections to a replica that carried nothing for too long.
    fn leave_the_idle(&self, inner: &mut Inner, to: u16) {
        let Some(limit) = self.idle_timeout else {
            return;
        };
        let list = &mut inner.connections[usize::from(to)];
        let before = list.len();
        list.retain(|on| {
            let since = on.idle_since.get().filter(|_| on.streams.get() == 0);
            let too_old = since.is_some_and(|since| since.elapsed() >= limit);
            if too_old {
                on.is_left();
            }
            !too_old
        });
        inner.open -= before - list.len();
    }

    /// No further request goes to this connection.
    pub(super) fn leave(self: &Rc<Self>, on: &Rc<Shared>) {
        if on.left.get() {
            return;
        }
        on.is_left();
        let mut inner = self.inner.borrow_mut();
        inner.connections[usize::from(on.to)].retain(|other| !Rc::ptr_eq(other, on));
        if on.streams.get() == 0 {
            inner.open -= 1;
        }
        drop(inner);
        self.serve_waiting();
    }

    fn give_back(self: &Rc<Self>, on: &Rc<Shared>) {
        on.streams.set(on.streams.get() - 1);
        if on.streams.get() == 0 {
            if on.left.get() {
                self.inner.borrow_mut().open -= 1;
            } else if !self.reuse {
                return self.leave(on);
            } else if self.idle_timeout.is_some() {
                on.idle_since.set(Some(Instant::now()));
            }
        }
        self.serve_waiting();
    }

    fn serve_waiting(self: &Rc<Self>) {
        loop {
            let mut inner = self.inner.borrow_mut();
            let Some((to, grant)) = inner.waiting.pop_front() else {
                return;
            };
            let Some(place) = self.try_place(&mut inner, to) else {
                inner.waiting.push_front((to, grant));
                return;
            };
            drop(inner);
            if let Err(place) = grant.send(place) {
                place.unwanted();
            }
        }
    }
}

impl Shared {
    /// It was made, or could not be.
    pub(super) fn is_made(&self, made: Result<SendRequest<Bytes>, Failure>) {
        *self.state.borrow_mut() = match made {
            Ok(sender) => State::Made(sender),
            Err(failure) => State::Failed(failure),
        };
        self.made.notify_waiters();
    }

    fn is_left(&self) {
        self.left.set(true);
        let mut state = self.state.borrow_mut();
        if matches!(*state, State::Made(_)) {
            *state = State::Left;
        }
    }

    /// Its sending half, once it is made; `None` when it was left before it could be used.
    pub(super) async fn sender(&self) -> Result<Option<SendRequest<Bytes>>, Failure> {
        loop {
            let made = self.made.notified();
            match &*self.state.borrow() {
                State::Making => {}
                State::Made(sender) => return Ok(Some(sender.clone())),
                State::Failed(failure) => return Err(failure.clone()),
                State::Left => return Ok(None),
            }
            made.await;
        }
    }
}

impl Place {
    /// Whether the server turned out to allow fewer streams than were handed out.
    pub(super) fn is_too_many(&self) -> bool {
        self.rank > self.crowd.allowed(&self.on)
    }

    /// Whether the server allows no stream at all on its connection.
    pub(super) fn allows_none(&self) -> bool {
        self.crowd.allowed(&self.on) == 0
    }

    /// No further request goes to its connection.
    pub(super) fn leave(&self) {
        self.crowd.leave(&self.on);
    }

    /// Nobody took it: the connection that it was to make is none.
    fn unwanted(self) {
        if self.makes {
            self.on.is_made(Err(Failure::connection("not made")));
            self.leave();
        }
    }

    pub(super) fn crowd(&self) -> Rc<Crowd> {
        Rc::clone(&self.crowd)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.crowd.give_back(&self.on);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
        let poll = std::future::poll_fn(|cx| {
            std::task::Poll::Ready(std::pin::Pin::new(&mut *future).poll(cx).is_pending())
        });
        poll.await
    }

    #[tokio::test]
    async fn a_connection_is_filled_before_the_next_is_made() {
        let crowd = Crowd::new(1, 2, true, None);
        let trace = Trace::default();
        let mut places = Vec::new();
        for _ in 0..2 * UNTIL_KNOWN {
            places.push(crowd.place(0, &trace).await);
        }
        assert_eq!(places.iter().filter(|place| place.makes).count(), 2);
        let mut one_more = Box::pin(crowd.place(0, &trace));
        assert!(is_pending(&mut one_more).await);
        places.pop();
        drop(one_more.await);
        assert!(matches!(trace.slot_wait(), Some((SlotLimit::Streams, _))));
        drop(places);
        assert_eq!(crowd.inner.borrow().open, 2, "they are kept");
    }

    #[tokio::test]
    async fn an_idle_connection_makes_room_for_another_replica() {
        let crowd = Crowd::new(2, 1, true, None);
        let trace = Trace::default();
        let first = crowd.place(0, &trace).await;
        let mut second = Box::pin(crowd.place(1, &trace));
        assert!(is_pending(&mut second).await);
        drop(first);
        let second = second.await;
        assert!(second.makes);
        assert!(matches!(
            trace.slot_wait(),
            Some((SlotLimit::Connections, _))
        ));
        assert_eq!(crowd.inner.borrow().open, 1);
    }

    #[tokio::test]
    async fn a_connection_that_is_left_goes_with_its_last_stream() {
        let crowd = Crowd::new(1, 2, true, None);
        let trace = Trace::default();
        let (first, second) = (crowd.place(0, &trace).await, crowd.place(0, &trace).await);
        first.leave();
        second.leave();
        let third = crowd.place(0, &trace).await;
        assert!(third.makes && crowd.inner.borrow().open == 2);
        drop((first, second));
        assert_eq!(crowd.inner.borrow().open, 1);
    }

    #[tokio::test]
    async fn without_reuse_each_request_has_its_own_and_waits_for_a_connection() {
        let crowd = Crowd::new(1, 1, false, None);
        let trace = Trace::default();
        let first = crowd.place(0, &trace).await;
        let mut second = Box::pin(crowd.place(0, &trace));
        assert!(is_pending(&mut second).await);
        drop(first);
        assert!(second.await.makes);
        assert!(matches!(
            trace.slot_wait(),
            Some((SlotLimit::Connections, _))
        ));
        assert_eq!(crowd.inner.borrow().open, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_idle_too_long_is_not_used_again() {
        let limit = Duration::from_secs(4);
        let crowd = Crowd::new(1, 1, true, Some(limit));
        let trace = Trace::default();
        drop(crowd.place(0, &trace).await);
        tokio::time::advance(limit / 2).await;
        let again = crowd.place(0, &trace).await;
        assert!(!again.makes);
        drop(again);
        tokio::time::advance(limit).await;
        assert!(crowd.place(0, &trace).await.makes);
    }
}
