use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};

use crate::metrics::page::Metrics;

/// The page's path.
const PATH: &str = "/metrics";
/// Connections served at once. For a further one the oldest makes room: a scrape is over in
/// milliseconds, so that is one that asks for nothing.
const CONNECTIONS_MAX: usize = 16;
/// How long a connection may last, and how long to wait when the system has no room for one.
const CONNECTION_TIME: Duration = Duration::from_secs(10);
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves `GET /metrics`, and nothing else, until it is dropped. A thread of its own does, so that
/// writing the page holds up no request to the replica.
pub struct MetricsServer {
    address: SocketAddr,
    /// Dropped to stop.
    stop: Option<oneshot::Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

impl MetricsServer {
    /// Listens on `address`; port 0 takes any free one.
    ///
    /// # Errors
    /// When the address cannot be listened on, or the system has no room for a thread.
    pub fn start(address: SocketAddr, metrics: Metrics) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        let (stop, stopped) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        _ = stopped => {}
                        never = serve(listener, Arc::new(metrics)) => match never {}
                    }
                });
            })?;
        Ok(Self {
            address,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Where the page is.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for MetricsServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It ends by itself; that it panicked was said when it did.
            let _ = thread.join();
        }
    }
}

async fn serve(listener: tokio::net::TcpListener, metrics: Arc<Metrics>) -> Infallible {
    let mut connections = JoinSet::new();
    let mut by_age: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    if by_age.len() == CONNECTIONS_MAX && let Some(oldest) = by_age.pop_front() {
                        oldest.abort();
                    }
                    let connection = connection(stream, Arc::clone(&metrics));
                    let limited = tokio::time::timeout(CONNECTION_TIME, connection);
                    by_age.push_back(connections.spawn(limited));
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
            Some(_) = connections.join_next() => by_age.retain(|one| !one.is_finished()),
        }
    }
}

/// Answers one request: a connection that is kept between two scrapes would only take up a place.
async fn connection(stream: TcpStream, metrics: Arc<Metrics>) {
    let service = service_fn(|request| {
        let reply = reply(&request, &metrics);
        async { Ok::<_, Infallible>(reply) }
    });
    // Whoever scrapes sees that it failed.
    let _ = http1::Builder::new()
        .keep_alive(false)
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

fn reply<B>(request: &Request<B>, metrics: &Metrics) -> Response<Full<Bytes>> {
    let (status, kind, text) = if request.method() == Method::GET && request.uri().path() == PATH {
        (StatusCode::OK, Metrics::CONTENT_TYPE, metrics.text())
    } else {
        let text = format!("There is nothing here but {PATH}.\n");
        (StatusCode::NOT_FOUND, "text/plain; charset=utf-8", text)
    };
    let mut reply = Response::new(Full::from(text));
    *reply.status_mut() = status;
    reply
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    reply
}
