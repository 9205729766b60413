use std::cell::Cell;
use std::rc::Rc;

use loadgen_measure::ConnectionFacts;
use tokio::time::Instant;

/// How many connections of one thread have been answered and are still there. One that waits in the
/// server's queue, or is closed at once, is of no use to the load and is not counted.
#[derive(Debug)]
pub(super) struct Answering {
    now: Cell<u64>,
    max: Cell<u64>,
    /// Fewest since the most.
    min: Cell<u64>,
    /// No more workflows arrive from then on, and connections may go.
    until: Instant,
}

/// One of them; dropping it takes it out again.
#[derive(Debug)]
pub(super) struct One(Rc<Answering>);

impl Answering {
    pub(super) fn new(until: Instant) -> Rc<Self> {
        Rc::new(Self {
            now: Cell::new(0),
            max: Cell::new(0),
            min: Cell::new(0),
            until,
        })
    }

    /// Another one.
    pub(super) fn one(self: &Rc<Self>) -> One {
        let now = self.now.get() + 1;
        self.now.set(now);
        if now > self.max.get() {
            self.max.set(now);
            self.min.set(now);
        }
        One(Rc::clone(self))
    }

    /// Beside the most that were open. Where each request has a connection of its own they go with
    /// their replies, and the fewest say nothing.
    pub(super) fn facts(&self, open_max: u64, reuse: bool) -> ConnectionFacts {
        ConnectionFacts {
            asked: None,
            open_max,
            answering_max: Some(self.max.get()),
            answering_min: reuse.then(|| self.min.get()),
        }
    }
}

impl Drop for One {
    fn drop(&mut self) {
        let all = &*self.0;
        let now = all.now.get() - 1;
        all.now.set(now);
        if now < all.min.get() && Instant::now() < all.until {
            all.min.set(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn the_fewest_count_from_the_most_on_and_while_workflows_arrive() {
        let all = Answering::new(Instant::now() + Duration::from_secs(1));
        let seen = || (all.max.get(), all.min.get());
        drop(all.one());
        assert_eq!(seen(), (1, 0));
        let (one, two, three) = (all.one(), all.one(), all.one());
        assert_eq!(seen(), (3, 3), "what was before the most is forgotten");
        drop(one);
        let again = all.one();
        assert_eq!(seen(), (3, 2));
        tokio::time::advance(Duration::from_secs(1)).await;
        drop((two, three, again));
        assert_eq!(seen(), (3, 2));
        assert_eq!(all.facts(4, true).answering_min, Some(2));
        assert_eq!(all.facts(4, false).answering_min, None);
    }
}
