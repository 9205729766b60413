use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::Timer;

/// One timer for any number of tasks of a thread: 40 bytes for each that waits.
#[derive(Debug)]
pub struct Alarms {
    timer: Timer,
    waiting: RefCell<Waiting>,
    /// Told when the earliest moment has become an earlier one.
    sooner: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    heap: BinaryHeap<Reverse<Alarm>>,
    /// Alarms that were ever set, so that those of one moment ring in the order in which they came.
    count: u64,
}

#[derive(Debug)]
struct Alarm {
    moment: Instant,
    number: u64,
    waker: Waker,
}

/// Waits for a moment: see [`Alarms::until`]. Of few bytes, since thousands may wait.
#[derive(Debug)]
#[must_use = "it waits only when polled"]
pub struct Until<'a> {
    alarms: &'a Alarms,
    moment: Instant,
    set: Option<Waker>,
}

impl Future for Until<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.moment {
            return Poll::Ready(());
        }
        let waker = context.waker();
        if self.set.as_ref().is_none_or(|set| !set.will_wake(waker)) {
            self.set = Some(waker.clone());
            self.alarms.set(self.moment, waker.clone());
        }
        Poll::Pending
    }
}

impl Alarms {
    /// Alarms that ring as finely as the timer. They ring only while [`Alarms::ring`] runs.
    #[must_use]
    pub fn new(timer: Timer) -> Self {
        Self {
            timer,
            waiting: RefCell::default(),
            sooner: Notify::new(),
        }
    }

    /// Ends at `moment`, or at once when it has passed; never before it.
    pub fn until(&self, moment: Instant) -> Until<'_> {
        Until {
            alarms: self,
            moment,
            set: None,
        }
    }

    /// Rings for ever; one task of the thread has to run this.
    pub async fn ring(&self) {
        loop {
            let next = self.wake_due();
            tokio::select! {
                () = self.sooner.notified() => {}
                () = self.next(next) => {}
            }
        }
    }

    async fn next(&self, moment: Option<Instant>) {
        match moment {
            Some(moment) => self.timer.until(moment).await,
            None => std::future::pending().await,
        }
    }

    fn set(&self, moment: Instant, waker: Waker) {
        let mut waiting = self.waiting.borrow_mut();
        let first = waiting.heap.peek();
        let sooner = first.is_none_or(|Reverse(first)| moment < first.moment);
        waiting.count += 1;
        let number = waiting.count;
        waiting.heap.push(Reverse(Alarm {
            moment,
            number,
            waker,
        }));
        if sooner {
            self.sooner.notify_one();
        }
    }

    /// Wakes those whose moment has come; gives the next moment.
    fn wake_due(&self) -> Option<Instant> {
        let mut waiting = self.waiting.borrow_mut();
        let now = Instant::now();
        loop {
            let moment = waiting.heap.peek()?.0.moment;
            if moment > now {
                return Some(moment);
            }
            if let Some(Reverse(alarm)) = waiting.heap.pop() {
                alarm.waker.wake();
            }
        }
    }
}

impl Ord for Alarm {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.moment, self.number).cmp(&(other.moment, other.number))
    }
}

impl PartialOrd for Alarm {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Alarm {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Alarm {}

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::time::Duration;

    use tokio::task::{LocalSet, spawn_local};

    use super::*;

    /// Thousands wait, set in an order of their own; each is woken at its moment, in order.
    #[tokio::test(start_paused = true)]
    async fn each_of_many_is_woken_at_its_moment() {
        let alarms = Rc::new(Alarms::new(Timer::coarse()));
        let rung = Rc::new(RefCell::new(Vec::new()));
        let begin = Instant::now();
        let local = LocalSet::new();
        let bell = Rc::clone(&alarms);
        local.spawn_local(async move { bell.ring().await });
        local
            .run_until(async {
                let tasks: Vec<_> = (0..5000_u64)
                    .map(|n| {
                        let after = Duration::from_millis(1 + n * 7919 % 5000);
                        let (alarms, rung) = (Rc::clone(&alarms), Rc::clone(&rung));
                        spawn_local(async move {
                            alarms.until(begin + after).await;
                            rung.borrow_mut().push((after, begin.elapsed()));
                        })
                    })
                    .collect();
                for task in tasks {
                    task.await.unwrap();
                }
            })
            .await;
        let rung = rung.borrow();
        assert_eq!(rung.len(), 5000);
        assert!(rung.is_sorted());
        for (after, at) in rung.iter() {
            assert_eq!(after, at);
        }
        assert!(alarms.waiting.borrow().heap.is_empty());
    }

    #[tokio::test]
    async fn a_fine_alarm_is_never_early_and_a_past_one_rings_at_once() {
        let alarms = Rc::new(Alarms::new(Timer::finest()));
        let local = LocalSet::new();
        let bell = Rc::clone(&alarms);
        local.spawn_local(async move { bell.ring().await });
        local
            .run_until(async {
                alarms.until(Instant::now()).await;
                for micros in [50, 700] {
                    let moment = Instant::now() + Duration::from_micros(micros);
                    alarms.until(moment).await;
                    assert!(Instant::now() >= moment);
                }
            })
            .await;
    }
}
