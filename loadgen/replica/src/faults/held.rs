use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use crate::faults::handle::Faults;

type Wait = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Work that stands still during freezes and stalls once it has begun, so that nothing of it goes out
/// meanwhile. Its beginning is not held: whoever polls it can rely on that.
pub(crate) struct Held<F> {
    faults: Arc<Faults>,
    begun: bool,
    waiting: Option<Wait>,
    work: Pin<Box<F>>,
}

impl Faults {
    pub(crate) fn hold<F: Future>(self: &Arc<Self>, work: F) -> Held<F> {
        Held {
            faults: Arc::clone(self),
            begun: false,
            waiting: None,
            work: Box::pin(work),
        }
    }
}

impl<F: Future> Future for Held<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let begun = std::mem::replace(&mut self.begun, true);
        if begun && self.waiting.is_none() && self.faults.is_active() {
            let faults = Arc::clone(&self.faults);
            self.waiting = Some(Box::pin(async move { faults.wait().await }));
        }
        if let Some(waiting) = &mut self.waiting {
            ready!(waiting.as_mut().poll(cx));
            self.waiting = None;
        }
        self.work.as_mut().poll(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, sleep};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn work_stands_still_during_a_freeze() {
        let faults = Arc::new(Faults::none(0));
        let start = Instant::now();
        let ms = Duration::from_millis;
        let steps = faults.hold(async {
            let mut at = Vec::new();
            for _ in 0..3 {
                sleep(ms(100)).await;
                at.push(start.elapsed().as_millis());
            }
            at
        });
        let freeze = async {
            sleep(ms(150)).await;
            faults.freeze(ms(1000), Instant::now());
        };
        let (at, ()) = tokio::join!(steps, freeze);
        // Its timer ran on meanwhile, as that of a stopped process does.
        assert_eq!(at, [100, 1150, 1250]);
    }
}
