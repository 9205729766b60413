use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};

use crate::http::gate::PATH;
use crate::replica::Replica;

/// How long to wait before accepting again when the system has no room for a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A replica behind a listening socket, HTTP/1.1 without TLS.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    replica: Arc<Replica>,
}

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Every request that had begun was answered.
    Drained,
    /// The time given for that ran out; what was left was cut off.
    Cut,
}

impl Server {
    /// Listens on `address`; port 0 takes any free one.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn bind(address: SocketAddr, replica: Arc<Replica>) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        Ok(Self {
            address: listener.local_addr()?,
            listener,
            replica,
        })
    }

    /// Where clients send their POSTs.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` is ready, then accepts nothing more and gives the requests that have
    /// begun `grace` to finish.
    pub async fn run(self, stop: impl Future<Output = ()>, grace: Duration) -> Stopped {
        let graceful = GracefulShutdown::new();
        let mut connections = tokio::task::JoinSet::new();
        tokio::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(graceful.watch(connection(stream, &self.replica)));
                    }
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
                // Ended connections are let go at once, so that the set does not grow.
                Some(_) = connections.join_next() => {}
            }
        }
        drop(self.listener);
        match tokio::time::timeout(grace, graceful.shutdown()).await {
            Ok(()) => Stopped::Drained,
            Err(_) => Stopped::Cut,
        }
    }
}

fn connection(
    stream: TcpStream,
    replica: &Arc<Replica>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> + use<> {
    // A reply goes out in one or two small writes: waiting for the client's acknowledgement of the
    // first would add 40 ms to every round. A socket that refuses the option still works.
    let _ = stream.set_nodelay(true);
    let replica = Arc::clone(replica);
    http1::Builder::new().serve_connection(
        TokioIo::new(stream),
        service_fn(move |request| {
            let replica = Arc::clone(&replica);
            async move { Ok::<_, std::convert::Infallible>(replica.reply(request).await) }
        }),
    )
}
