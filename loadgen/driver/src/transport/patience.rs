use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::task::coop::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};

/// Bounds the time of exchanges. Hardly any meets its bound, so a timer that was set for an earlier
/// exchange serves a later one: when it rings before that one's time it is set anew. Setting one for
/// each, and taking it back, would cost more than anything else here.
#[derive(Debug, Default)]
pub(super) struct Patience {
    idle: RefCell<Vec<Pin<Box<Sleep>>>>,
}

/// The bound of one exchange, with a timer once it has to wait.
struct Bound<'a> {
    patience: &'a Patience,
    /// `None` for a time that never ends.
    end: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Patience {
    /// What the future gives, or `None` when it is not ready after this time.
    pub(super) fn within<F: Future>(
        &self,
        time: Duration,
        mut future: Pin<&mut F>,
    ) -> impl Future<Output = Option<F::Output>> {
        let mut bound = Bound {
            patience: self,
            end: Instant::now().checked_add(time),
            timer: None,
        };
        poll_fn(move |cx| match future.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending => bound.poll(cx).map(|()| None),
        })
    }
}

impl Bound<'_> {
    /// Ready when the time is over.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(end) = self.end else {
            return Poll::Pending;
        };
        let timer = self.timer.get_or_insert_with(|| {
            let used = self.patience.idle.borrow_mut().pop();
            used.unwrap_or_else(|| Box::pin(sleep_until(end)))
        });
        if timer.deadline() > end {
            timer.as_mut().reset(end);
        }
        loop {
            // A future that has used up its turn must not keep its own time from ending.
            ready!(pin!(unconstrained(timer.as_mut())).poll(cx));
            if timer.deadline() >= end {
                return Poll::Ready(());
            }
            timer.as_mut().reset(end);
        }
    }
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        if let Some(timer) = self.timer.take() {
            self.patience.idle.borrow_mut().push(timer);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use tokio::time::sleep;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Whether the future is ready within its time.
    async fn ready_within<F: Future>(patience: &Patience, seconds: u32, future: F) -> bool {
        let future = pin!(future);
        patience.within(seconds * SECOND, future).await.is_some()
    }

    #[tokio::test(start_paused = true)]
    async fn each_time_ends_when_it_should_whatever_the_timer_was_set_for() {
        let patience = Patience::default();
        let begin = Instant::now();
        let at = |seconds: u32| assert_eq!(begin.elapsed(), seconds * SECOND);
        assert!(ready_within(&patience, 30, sleep(2 * SECOND)).await);
        at(2);
        // Its timer would ring after 28 s.
        assert!(!ready_within(&patience, 3, pending::<()>()).await);
        at(5);
        assert!(!ready_within(&patience, 60, pending::<()>()).await);
        at(65);
        // Now it has rung.
        assert!(ready_within(&patience, 7, sleep(6 * SECOND)).await);
        assert!(!ready_within(&patience, 7, pending::<()>()).await);
        at(78);
        assert_eq!(patience.idle.borrow().len(), 1, "one was enough");
    }

    #[tokio::test(start_paused = true)]
    async fn exchanges_at_one_time_have_their_own() {
        let patience = Patience::default();
        let begin = Instant::now();
        let one = async {
            let ready = ready_within(&patience, 2, pending::<()>()).await;
            (ready, begin.elapsed())
        };
        let other = async {
            let ready = ready_within(&patience, 1, pending::<()>()).await;
            (ready, begin.elapsed())
        };
        let ended = tokio::join!(one, other);
        assert_eq!(ended, ((false, 2 * SECOND), (false, SECOND)));
        assert_eq!(patience.idle.borrow().len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_wait_needs_no_timer() {
        let patience = Patience::default();
        assert!(ready_within(&patience, 1, ready(())).await);
        assert!(patience.idle.borrow().is_empty());
        let endless = pin!(sleep(SECOND));
        assert!(patience.within(Duration::MAX, endless).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_future_does_not_hold_its_time_up() {
        let patience = Patience::default();
        let busy = async {
            loop {
                tokio::task::coop::consume_budget().await;
            }
        };
        let passing = tokio::spawn(async {
            for _ in 0..9 {
                tokio::time::advance(SECOND).await;
            }
        });
        assert!(!ready_within(&patience, 5, busy).await);
        passing.await.unwrap();
    }
}
