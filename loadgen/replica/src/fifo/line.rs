use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;

use loadgen_timer::Timer;
use tokio::sync;
use tokio::task::coop::unconstrained;
use tokio::time::Instant;

use super::Fifo;
use super::schedule::{Full, Schedule};

/// The queue itself: who waits, and the one timer that wakes them in turn.
pub(crate) struct Line {
    start: Instant,
    schedule: Mutex<Schedule>,
    /// Held by whoever finishes next. Made in the first wait, since a timer belongs to a runtime.
    timer: sync::Mutex<Option<Timer>>,
}

impl Line {
    pub(crate) fn new(fifo: Fifo) -> Self {
        Self {
            start: Instant::now(),
            schedule: Mutex::new(Schedule::new(fifo)),
            timer: sync::Mutex::new(None),
        }
    }

    /// Joins the queue and returns when this caller has been served.
    ///
    /// # Errors
    /// At once, when the queue is full.
    pub(crate) async fn serve(&self) -> Result<(), Full> {
        // Places are given and taken under one lock, so that on any number of threads those who
        // hold the timer hold it in the order in which they finish. Without a budget: being sent
        // back by the runtime would cost the place.
        let mut turn = pin!(unconstrained(self.timer.lock()));
        let (finish, turn_came) = poll_fn(|cx| {
            let mut schedule = self.schedule.lock().unwrap_or_else(PoisonError::into_inner);
            let finish = schedule.admit(self.start.elapsed());
            Poll::Ready((finish, turn.as_mut().poll(cx)))
        })
        .await;
        let finish = self.start + finish?;
        let mut timer = match turn_came {
            Poll::Ready(timer) => timer,
            Poll::Pending => turn.await,
        };
        timer.get_or_insert_with(Timer::finest).until(finish).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::task::JoinSet;
    use tokio::time::sleep;

    use super::*;
    use crate::fifo::ServiceTime;

    const MS: Duration = Duration::from_millis(1);

    /// A line that follows paused time.
    fn line(service: Duration) -> Arc<Line> {
        let service = ServiceTime::Const(service);
        let mut line = Line::new(Fifo { service, seed: 1 });
        *line.timer.get_mut() = Some(Timer::coarse());
        Arc::new(line)
    }

    /// Joins at `at` and says when it was served, both in milliseconds from now.
    async fn customer(line: Arc<Line>, at: u64) -> u128 {
        let start = Instant::now();
        sleep(MS * u32::try_from(at).unwrap()).await;
        line.serve().await.unwrap();
        start.elapsed().as_millis()
    }

    #[tokio::test(start_paused = true)]
    async fn everybody_is_served_in_turn_and_in_their_time() {
        let line = line(10 * MS);
        let mut customers = JoinSet::new();
        for at in [0, 1, 2, 50, 51] {
            customers.spawn(customer(Arc::clone(&line), at));
        }
        let mut served = Vec::new();
        while let Some(at) = customers.join_next().await {
            served.push(at.unwrap());
        }
        assert_eq!(served, [10, 20, 30, 60, 70]);
    }

    #[tokio::test(start_paused = true)]
    async fn who_leaves_keeps_the_place_and_holds_up_nobody() {
        let line = line(10 * MS);
        let first = tokio::spawn(customer(Arc::clone(&line), 0));
        let second = tokio::spawn(customer(Arc::clone(&line), 1));
        let third = tokio::spawn(customer(Arc::clone(&line), 2));
        sleep(5 * MS).await;
        // The one who holds the timer, and one who waits for it.
        first.abort();
        second.abort();
        assert_eq!(third.await.unwrap(), 30);
    }

    #[tokio::test(start_paused = true)]
    async fn more_than_a_runtime_lets_pass_at_once_keep_their_order() {
        let line = line(MS);
        let all = tokio::spawn(async move {
            let mut customers: Vec<_> = (0..1000).map(|_| Box::pin(line.serve())).collect();
            for customer in &mut customers {
                // One task polls them all, as one connection's requests may be: past its budget.
                let polled = poll_fn(|cx| Poll::Ready(customer.as_mut().poll(cx))).await;
                assert!(polled.is_pending());
            }
            let start = Instant::now();
            for (done, customer) in (1..).zip(customers) {
                customer.await.unwrap();
                assert_eq!(start.elapsed(), done * MS);
            }
        });
        all.await.unwrap();
    }
}
