use std::cell::RefCell;
use std::fmt;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use tokio::task::AbortHandle;

/// What keeps a connection going, in a task of its own. Dropping this drops the connection at once and
/// closes its socket, whatever it still had to write: a peer that does not read must not hold it.
pub(super) struct Driven {
    connection: Rc<dyn Slot>,
    task: AbortHandle,
}

/// A place that can be emptied, whatever it holds.
trait Slot {
    fn clear(&self);
}

impl<C> Slot for RefCell<Option<Pin<Box<C>>>> {
    fn clear(&self) {
        // It is taken only while the task runs, and the task goes with its connection.
        if let Ok(mut connection) = self.try_borrow_mut() {
            *connection = None;
        }
    }
}

impl Driven {
    /// Starts the task, in the `LocalSet` of the caller. What the connection gives in the end is told
    /// to nobody: its errors reach the request that they break.
    pub(super) fn new<C: Future + 'static>(connection: C) -> Self {
        let connection = Rc::new(RefCell::new(Some(Box::pin(connection))));
        let shared = Rc::clone(&connection);
        let going = std::future::poll_fn(move |cx| {
            let mut connection = shared.borrow_mut();
            let ended = connection
                .as_mut()
                .is_none_or(|connection| connection.as_mut().poll(cx).is_ready());
            if ended {
                *connection = None;
                return Poll::Ready(());
            }
            Poll::Pending
        });
        Self {
            task: tokio::task::spawn_local(going).abort_handle(),
            connection,
        }
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        self.connection.clear();
        self.task.abort();
    }
}

impl fmt::Debug for Driven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driven")
            .field("task", &self.task)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::task::LocalSet;

    use super::*;

    #[tokio::test]
    async fn a_connection_that_cannot_write_on_is_closed_with_its_owner() {
        LocalSet::new()
            .run_until(async {
                let (mut near, mut far) = tokio::io::duplex(8);
                let driven = Driven::new(async move { near.write_all(&[7; 1000]).await });
                tokio::task::yield_now().await;
                drop(driven);
                // What fitted in is there, and then the end.
                let mut all = Vec::new();
                assert_eq!(far.read_to_end(&mut all).await.unwrap(), 8);
            })
            .await;
    }

    #[tokio::test]
    async fn one_that_has_ended_is_let_go() {
        LocalSet::new()
            .run_until(async {
                let held = Rc::new(());
                let inside = Rc::clone(&held);
                let driven = Driven::new(async move { drop(inside) });
                tokio::task::yield_now().await;
                assert_eq!(Rc::strong_count(&held), 1);
                drop(driven);
            })
            .await;
    }
}
