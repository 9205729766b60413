use std::array;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::counters::{Counters, ItemCount, PartTime};
use crate::refusal::Cause;
use crate::surface::Item;
use crate::timing::Spent;

/// Threads that count without getting in each other's way; further ones share.
const SHARDS: usize = 16;

/// What a replica does, counted while it serves: plain additions to places that seldom have a
/// second writer.
pub(crate) struct Tally(Box<[Shard; SHARDS]>);

/// What one reply was, apart from a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    Completed,
    Failed,
    Asked,
    Listed,
    Notified,
    Listened,
}

impl Event {
    const ALL: [Self; 6] = [
        Self::Completed,
        Self::Failed,
        Self::Asked,
        Self::Listed,
        Self::Notified,
        Self::Listened,
    ];

    /// A short name for logs.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Asked => "asked",
            Self::Listed => "listed",
            Self::Notified => "notified",
            Self::Listened => "listened",
        }
    }
}

/// One thread's counts, two cache lines away from everybody else's: processors fetch in pairs.
#[derive(Default)]
#[repr(align(128))]
struct Shard {
    begun: Counts<1>,
    answered: Counts<1>,
    cancelled: Counts<1>,
    events: Counts<{ Event::ALL.len() }>,
    refused: Counts<{ Cause::ALL.len() }>,
    started: Counts<{ Item::SLOTS }>,
    ended: Counts<{ Item::SLOTS }>,
    executed: Counts<{ Item::SLOTS }>,
    /// In the order of [`Spent::by_part`].
    times: Counts<{ Spent::PARTS }>,
    nanoseconds: Counts<{ Spent::PARTS }>,
}

struct Counts<const N: usize>([AtomicU64; N]);

impl<const N: usize> Default for Counts<N> {
    fn default() -> Self {
        Self(array::from_fn(|_| AtomicU64::new(0)))
    }
}

impl<const N: usize> Counts<N> {
    fn add(&self, index: usize, more: u64) {
        self.0[index].fetch_add(more, Ordering::Relaxed);
    }
}

impl Tally {
    pub(crate) fn new() -> Self {
        Self(Box::new(array::from_fn(|_| Shard::default())))
    }

    /// A request has arrived.
    pub(crate) fn begun(&self) {
        self.own().begun.add(0, 1);
    }

    /// Its reply is ready.
    pub(crate) fn answered(&self) {
        self.own().answered.add(0, 1);
    }

    /// Nobody waits for its reply any more.
    pub(crate) fn cancelled(&self) {
        self.own().cancelled.add(0, 1);
    }

    pub(crate) fn count(&self, event: Event) {
        self.own().events.add(event as usize, 1);
    }

    pub(crate) fn refused(&self, cause: Cause) {
        self.own().refused.add(cause as usize, 1);
    }

    /// A round of this item has begun.
    pub(crate) fn started(&self, item: Item<'_>) {
        self.own().started.add(item.slot(), 1);
    }

    /// The round has ended, and if `executed` the item has done its work.
    pub(crate) fn ended(&self, item: Item<'_>, executed: bool) {
        let own = self.own();
        own.ended.add(item.slot(), 1);
        own.executed.add(item.slot(), u64::from(executed));
    }

    /// What a request spent its time on.
    pub(crate) fn spent(&self, spent: &Spent) {
        let own = self.own();
        for (index, took) in spent.by_part().into_iter().enumerate() {
            if let Some(took) = took {
                own.times.add(index, 1);
                own.nanoseconds
                    .add(index, u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
            }
        }
    }

    pub(crate) fn read(&self, state: loadgen_seal::Counters) -> Counters {
        let answered = self.sum(|s| &s.answered)[0];
        let cancelled = self.sum(|s| &s.cancelled)[0];
        let [completed, failed, asked, listed, notified, listened] = self.sum(|s| &s.events);
        let refused = self.sum(|s| &s.refused);
        let executed = self.sum(|s| &s.executed);
        let ended = self.sum(|s| &s.ended);
        let started = self.sum(|s| &s.started);
        let times = self.sum(|s| &s.times);
        let nanoseconds = self.sum(|s| &s.nanoseconds);
        // Last, so that no request seems to have ended before it began.
        let begun = self.sum(|s| &s.begun)[0];
        Counters {
            begun,
            answered,
            cancelled,
            completed,
            failed,
            asked,
            listed,
            notified,
            listened,
            refused: Cause::ALL.map(|cause| (cause, refused[cause as usize])),
            items: array::from_fn(|slot| ItemCount {
                kind: Item::NAMES[slot].0,
                name: Item::NAMES[slot].1,
                started: started[slot],
                ended: ended[slot],
                executed: executed[slot],
            }),
            times: array::from_fn(|index| PartTime {
                part: Spent::NAMES[index],
                requests: times[index],
                total: Duration::from_nanos(nanoseconds[index]),
            }),
            state,
        }
    }

    fn own(&self) -> &Shard {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static OWN: Cell<usize> = Cell::new(NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS);
        }
        // A thread that is ending may count anywhere.
        &self.0[OWN.try_with(Cell::get).unwrap_or(0)]
    }

    fn sum<const N: usize>(&self, counts: impl Fn(&Shard) -> &Counts<N>) -> [u64; N] {
        array::from_fn(|index| {
            let read = |shard| counts(shard).0[index].load(Ordering::Relaxed);
            self.0.iter().map(read).sum()
        })
    }
}
