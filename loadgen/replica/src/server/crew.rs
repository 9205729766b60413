use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};

use crate::server::Stopped;
use crate::server::crowd::Crowd;
use crate::server::shared::{Open, Shared};

/// The threads that serve: the one that accepts, and those beside it, each with a runtime of its
/// own. A connection stays with the thread that it was dealt to.
pub(crate) struct Crew {
    here: Crowd,
    here_open: Arc<AtomicUsize>,
    others: Vec<Other>,
}

/// A thread beside the accepting one.
struct Other {
    send: mpsc::UnboundedSender<(std::net::TcpStream, Seat)>,
    open: Arc<AtomicUsize>,
    ended: oneshot::Receiver<Stopped>,
}

/// Holds a connection's place in the counts until it ends.
struct Seat {
    open: Arc<AtomicUsize>,
    _counted: Open,
}

impl Crew {
    /// Starts the threads; they serve once they are dealt connections. When the crew is told to
    /// finish, or is dropped, they let what has begun finish for `grace`.
    ///
    /// # Errors
    /// When the system gives no thread or no runtime.
    pub(crate) fn start(
        shared: &Arc<Shared>,
        threads: NonZeroUsize,
        grace: Duration,
    ) -> io::Result<Self> {
        let others = (1..threads.get())
            .map(|number| Other::start(number, shared, grace))
            .collect::<io::Result<_>>()?;
        Ok(Self {
            here: Crowd::new(shared),
            here_open: Arc::default(),
            others,
        })
    }

    /// Deals a connection to the thread that has the fewest: the kernel's own spreading over
    /// `SO_REUSEPORT` listeners goes by hash and can leave a thread with none of a few connections.
    pub(crate) fn deal(&mut self, stream: TcpStream, counted: Open) -> io::Result<()> {
        let least = self
            .others
            .iter()
            .min_by_key(|other| other.open.load(Ordering::Relaxed));
        let here = self.here_open.load(Ordering::Relaxed);
        match least {
            Some(other) if other.open.load(Ordering::Relaxed) < here => {
                let seat = Seat::take(&other.open, counted);
                // A thread that is gone takes nothing: the connection is closed.
                let _ = other.send.send((stream.into_std()?, seat));
            }
            _ => self.here.take(stream, Seat::take(&self.here_open, counted)),
        }
        Ok(())
    }

    /// See [`Crowd::turn`].
    pub(crate) async fn turn(&mut self) {
        self.here.turn().await;
    }

    /// See [`Crowd::finish`]; on all threads at the same time.
    pub(crate) async fn finish(self, grace: Duration) -> Stopped {
        // Their channels close, which tells them.
        let ends: Vec<_> = self.others.into_iter().map(|other| other.ended).collect();
        let mut stopped = self.here.finish(grace).await;
        for end in ends {
            if end.await != Ok(Stopped::Drained) {
                stopped = Stopped::Cut;
            }
        }
        stopped
    }
}

impl Other {
    fn start(number: usize, shared: &Arc<Shared>, grace: Duration) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (send, receive) = mpsc::unbounded_channel();
        let (end, ended) = oneshot::channel();
        let shared = Arc::clone(shared);
        thread::Builder::new()
            .name(format!("replica-{number}"))
            .spawn(move || {
                let stopped = serve(&runtime, &shared, receive, grace);
                // Nobody may be left to hear it.
                let _ = end.send(stopped);
            })?;
        Ok(Self {
            send,
            open: Arc::default(),
            ended,
        })
    }
}

impl Seat {
    fn take(open: &Arc<AtomicUsize>, counted: Open) -> Self {
        open.fetch_add(1, Ordering::Relaxed);
        Self {
            open: Arc::clone(open),
            _counted: counted,
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

fn serve(
    runtime: &Runtime,
    shared: &Arc<Shared>,
    mut dealt: mpsc::UnboundedReceiver<(std::net::TcpStream, Seat)>,
    grace: Duration,
) -> Stopped {
    runtime.block_on(async {
        let mut crowd = Crowd::new(shared);
        loop {
            tokio::select! {
                next = dealt.recv() => match next {
                    // One that cannot be registered here is closed.
                    Some((stream, seat)) => if let Ok(stream) = TcpStream::from_std(stream) {
                        crowd.take(stream, seat);
                    },
                    None => return crowd.finish(grace).await,
                },
                () = crowd.turn() => {}
            }
        }
    })
}
