//! Lanes: places for counts that one thread alone writes to.
//!
//! An atomic addition takes as long as a tenth of sealing a short state, a load and a store next to
//! nothing, but only a place's one writer may do with those.

use std::sync::atomic::{AtomicBool, Ordering};

/// Threads that have a lane at the same time; the rest share.
pub(crate) const LANES: usize = 32;

static TAKEN: [AtomicBool; LANES] = [const { AtomicBool::new(false) }; LANES];

/// A thread's lane, free again when the thread ends.
struct Lane(Option<usize>);

thread_local! {
    static OWN: Lane = Lane::take();
}

/// The index of this thread's own lane, if it has one.
pub(crate) fn own() -> Option<usize> {
    OWN.try_with(|lane| lane.0).ok().flatten()
}

impl Lane {
    fn take() -> Self {
        // What the last owner wrote is seen before anything is added to it.
        Self(TAKEN.iter().position(|taken| {
            taken
                .compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
        }))
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if let Some(index) = self.0 {
            TAKEN[index].store(false, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::{Arc, Barrier};

    use super::*;

    #[test]
    fn living_threads_never_share_a_lane_and_ended_ones_leave_theirs() {
        const THREADS: usize = LANES + 8;
        // Twice: lanes of the first threads must come free for the second ones.
        for _ in 0..2 {
            let all_have = Arc::new(Barrier::new(THREADS));
            let threads: Vec<_> = (0..THREADS)
                .map(|_| {
                    let all_have = Arc::clone(&all_have);
                    std::thread::spawn(move || {
                        let lane = own();
                        all_have.wait();
                        assert_eq!(own(), lane);
                        lane
                    })
                })
                .collect();
            let lanes: Vec<usize> = threads
                .into_iter()
                .filter_map(|t| t.join().unwrap())
                .collect();
            let distinct: HashSet<_> = lanes.iter().collect();
            assert_eq!(distinct.len(), lanes.len());
            assert!(!lanes.is_empty());
        }
    }
}
