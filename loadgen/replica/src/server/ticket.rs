use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// A permit that is waited for when it is needed, first come, first served; dropped, it is given back.
pub(crate) enum Ticket {
    NotNeeded,
    Waiting {
        since: Instant,
        permit: Pin<Box<dyn Future<Output = Permit> + Send>>,
    },
    Taken {
        _permit: OwnedSemaphorePermit,
    },
}

type Permit = Result<OwnedSemaphorePermit, AcquireError>;

impl Ticket {
    /// Takes the permit; gives how long it has been waited for since it was last asked for.
    pub(crate) fn poll(&mut self, from: &Arc<Semaphore>, cx: &mut Context<'_>) -> Poll<Duration> {
        let (permit, waited) = match self {
            Self::Taken { .. } => return Poll::Ready(Duration::ZERO),
            Self::Waiting { since, permit } => {
                let permit = ready!(permit.as_mut().poll(cx));
                (permit.expect("nobody closes it"), since.elapsed())
            }
            Self::NotNeeded => match Arc::clone(from).try_acquire_owned() {
                Ok(permit) => (permit, Duration::ZERO),
                Err(_) => {
                    *self = Self::Waiting {
                        since: Instant::now(),
                        permit: Box::pin(Arc::clone(from).acquire_owned()),
                    };
                    return self.poll(from, cx);
                }
            },
        };
        *self = Self::Taken { _permit: permit };
        Poll::Ready(waited)
    }
}
