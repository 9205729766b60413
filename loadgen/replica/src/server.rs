mod connection;
mod connections;
mod crew;
mod crowd;
pub(crate) mod cut;
mod intake;
mod keeper;
mod link;
mod noted_io;
mod outgoing;
mod policy;
mod service;
mod shared;
mod ticket;
mod tls;

use std::io;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};

use crate::http::gate::PATH;
use crate::replica::Replica;
use crate::server::connections::Happened;
use crate::server::crew::Crew;
use crate::server::shared::{Open, Shared};

pub use connections::{ConnectionCounts, Connections};
pub use policy::{AcceptLimit, ConnectionPolicy, Drip, OverLimit};
pub use tls::{Tls, TlsError, TlsProvider};

/// How long to wait before accepting again when the system has no room for a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A replica behind a listening socket: HTTP/1.1 and HTTP/2, the latter by prior knowledge or, with
/// TLS, by ALPN.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
    threads: NonZeroUsize,
}

/// How a server speaks to its clients.
#[derive(Debug)]
pub struct Transport {
    /// Serve HTTPS with this; `None` serves cleartext.
    pub tls: Option<Tls>,
    /// How many threads serve, each with a single-threaded runtime of its own. The first is the one
    /// that runs the server; it accepts, and deals each connection to the thread with the fewest.
    pub threads: NonZeroUsize,
    /// What is done with connections; whoever keeps a clone can change it while the server runs.
    pub policy: Arc<ConnectionPolicy>,
}

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Every request that had begun was answered.
    Drained,
    /// The time given for that ran out; what was left was cut off.
    Cut,
}

impl Default for Transport {
    /// Cleartext, one thread, no policy.
    fn default() -> Self {
        Self {
            tls: None,
            threads: NonZeroUsize::MIN,
            policy: Arc::default(),
        }
    }
}

impl Server {
    /// Listens on `address`; port 0 takes any free one.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn bind(
        address: SocketAddr,
        replica: Arc<Replica>,
        transport: Transport,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        replica.govern(Arc::clone(&transport.policy));
        let threads = transport.threads;
        Ok(Self {
            address: listener.local_addr()?,
            listener,
            shared: Arc::new(Shared::new(replica, transport)),
            threads,
        })
    }

    /// Where clients send their POSTs.
    pub fn url(&self) -> String {
        let scheme = match self.shared.tls {
            Some(_) => "https",
            None => "http",
        };
        format!("{scheme}://{}{PATH}", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What becomes of its connections.
    pub fn connections(&self) -> Arc<Connections> {
        Arc::clone(&self.shared.connections)
    }

    /// Serves until `stop` is ready, then accepts nothing more and gives the requests that have
    /// begun `grace` to finish.
    ///
    /// # Errors
    /// When the system gives no thread, before anything is served.
    pub async fn run(self, stop: impl Future<Output = ()>, grace: Duration) -> io::Result<Stopped> {
        let mut crew = Crew::start(&self.shared, self.threads, grace)?;
        tokio::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                accepted = self.accept() => {
                    let open = Open::new(&self.shared);
                    // One that cannot change threads is closed, as one that could not be accepted.
                    let _ = crew.deal(accepted, open);
                }
                () = crew.turn() => {}
            }
        }
        drop(self.listener);
        self.shared.replica.end_subscriptions();
        Ok(crew.finish(grace).await)
    }

    /// The next connection that may be served. Nothing is lost when it is dropped.
    async fn accept(&self) -> TcpStream {
        let mut changes = self.shared.policy.changes();
        loop {
            let limit = self.shared.policy.accept_limit();
            let full = limit.filter(|l| self.shared.connections.open() >= l.open.get().into());
            if full.is_some_and(|limit| limit.over == OverLimit::Wait) {
                tokio::select! {
                    () = self.shared.room.notified() => {}
                    _ = changes.changed() => {}
                }
                continue;
            }
            match self.listener.accept().await {
                Ok((stream, _)) if full.is_none() => return stream,
                Ok(_) => {
                    drop(Open::new(&self.shared));
                    self.shared.connections.count(Happened::RefusedByLimit);
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
    }
}
