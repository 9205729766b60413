use std::sync::atomic::{AtomicU64, Ordering};

use crate::counters::KeyCount;
use crate::key::KeyId;
use crate::lane::{self, LANES};

/// Seals that a lane takes from the budget at a time, while there is much left of it.
const CHUNK: u64 = 256;

/// The most serial numbers that threads hold without having used them.
pub(crate) const HELD: u64 = LANES as u64 * CHUNK;

/// Counts of one key: exact, and within the budget, whatever the number of threads.
pub(crate) struct Tally {
    budget: u64,
    /// Serial numbers given to lanes or used, never above the budget.
    reserved: AtomicU64,
    lanes: Box<[Counts; LANES]>,
    /// For threads without a lane.
    shared: Counts,
}

/// Filled up to a cache line, since every lane has another writer.
#[derive(Default)]
#[repr(align(64))]
struct Counts {
    /// The next serial number held, and the end of those held.
    next: AtomicU64,
    end: AtomicU64,
    sealed: AtomicU64,
    opened: AtomicU64,
}

impl Tally {
    pub(crate) fn new(budget: u64) -> Self {
        Self {
            budget,
            reserved: AtomicU64::new(0),
            lanes: Box::new(std::array::from_fn(|_| Counts::default())),
            shared: Counts::default(),
        }
    }

    /// Takes one seal from the budget and gives its serial number, which no other call gets. `None`
    /// when the budget is spent.
    ///
    /// Lanes take seals in chunks, which shrink as the budget runs out. When it has run out for one
    /// thread, others may still hold a few; nothing is ever sealed beyond it.
    pub(crate) fn take(&self) -> Option<u64> {
        let Some(own) = self.own() else {
            let (serial, _) = self.reserve(1)?;
            self.shared.sealed.fetch_add(1, Ordering::Relaxed);
            return Some(serial);
        };
        let (mut next, mut end) = (read(&own.next), read(&own.end));
        if next == end {
            (next, end) = self.reserve(CHUNK)?;
            own.end.store(end, Ordering::Relaxed);
        }
        own.next.store(next + 1, Ordering::Relaxed);
        add(&own.sealed);
        Some(next)
    }

    pub(crate) fn count_opened(&self) {
        match self.own() {
            Some(own) => add(&own.opened),
            None => {
                self.shared.opened.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Tokens sealed so far.
    pub(crate) fn sealed(&self) -> u64 {
        self.sum(|counts| &counts.sealed)
    }

    /// Tokens opened so far.
    pub(crate) fn opened(&self) -> u64 {
        self.sum(|counts| &counts.opened)
    }

    pub(crate) fn counts(&self, id: KeyId) -> KeyCount {
        KeyCount {
            id,
            sealed: self.sealed(),
            opened: self.opened(),
        }
    }

    fn own(&self) -> Option<&Counts> {
        lane::own().map(|index| &self.lanes[index])
    }

    /// Reserves up to `most` serial numbers and gives the first and the end.
    fn reserve(&self, most: u64) -> Option<(u64, u64)> {
        let mut first = read(&self.reserved);
        loop {
            let left = self.budget.checked_sub(first).filter(|&left| left > 0)?;
            let end = first + (left / (4 * HELD)).clamp(1, most);
            match self.reserved.compare_exchange_weak(
                first,
                end,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some((first, end)),
                Err(now) => first = now,
            }
        }
    }

    fn sum(&self, count: impl Fn(&Counts) -> &AtomicU64) -> u64 {
        let all = self.lanes.iter().chain([&self.shared]);
        all.map(|counts| read(count(counts))).sum()
    }
}

fn read(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

/// Adds one to a count that only this thread writes.
fn add(count: &AtomicU64) {
    count.store(read(count) + 1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Takes until the budget is spent, on more threads than there are lanes.
    fn spend(tally: &Tally) -> Vec<u64> {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..LANES + 4)
                .map(|_| scope.spawn(|| std::iter::from_fn(|| tally.take()).collect::<Vec<_>>()))
                .collect();
            threads
                .into_iter()
                .flat_map(|t| t.join().unwrap())
                .collect()
        })
    }

    #[test]
    fn threads_together_take_the_budget_exactly_and_no_serial_number_twice() {
        for budget in [1, 2, 1000, 100_000] {
            let tally = Tally::new(budget);
            let serials = spend(&tally);
            let distinct: HashSet<_> = serials.iter().collect();
            assert_eq!(distinct.len(), serials.len());
            assert!(serials.iter().all(|&s| s < budget));
            assert_eq!(serials.len() as u64, budget);
            assert_eq!(tally.sealed(), budget);
            assert_eq!(tally.take(), None);
            assert_eq!(tally.sealed(), budget, "a refusal is no seal");
        }
    }

    #[test]
    fn chunks_shrink_so_that_a_budget_is_used_to_its_end() {
        let tally = Tally::new(1 << 24);
        let (first, end) = tally.reserve(CHUNK).unwrap();
        assert_eq!((first, end), (0, CHUNK));
        tally
            .reserved
            .store((1 << 24) - 4 * HELD, Ordering::Relaxed);
        let (first, end) = tally.reserve(CHUNK).unwrap();
        assert_eq!(end - first, 1);
    }

    #[test]
    fn a_budget_without_bound_does_not_overflow() {
        let tally = Tally::new(u64::MAX);
        tally.reserved.store(u64::MAX - 1, Ordering::Relaxed);
        assert_eq!(tally.take(), Some(u64::MAX - 1));
        assert_eq!(tally.take(), None);
    }

    #[test]
    fn openings_of_all_threads_are_counted() {
        let tally = Tally::new(1);
        std::thread::scope(|scope| {
            for _ in 0..LANES + 4 {
                scope.spawn(|| (0..1000).for_each(|_| tally.count_opened()));
            }
        });
        assert_eq!(tally.opened(), 1000 * (LANES as u64 + 4));
    }
}
