use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::server::connections::Happened;
use crate::server::link::{Link, Order};
use crate::server::noted_io::NotedIo;
use crate::server::service;

/// The largest request head and the largest piece that is read at once, in bytes: hyper keeps a
/// buffer of up to this size for each connection.
const BUFFER_BYTES: usize = 64 << 10;

/// The largest HTTP/2 header list, in bytes as RFC 9113 counts them (section 6.5.2). CONTINUATION
/// frames beyond it end the connection.
const HEADER_LIST_BYTES: u32 = 64 << 10;

/// Streams that a client may have open on one HTTP/2 connection.
const STREAMS: u32 = 128;

/// HTTP/2 flow control windows in bytes: what a connection may hold of bodies that wait to be read.
const STREAM_WINDOW: u32 = 64 << 10;
const CONNECTION_WINDOW: u32 = 256 << 10;

/// What an HTTP/2 stream may hold of a reply that its client does not read, in bytes.
const SEND_BYTES: usize = 64 << 10;

/// Streams that a client reset before they were looked at, and streams reset for its errors, after
/// which its connection ends (CVE-2023-44487 and CVE-2025-8671).
const EARLY_RESETS: usize = 20;
const ERROR_RESETS: usize = 128;

/// How HTTP is spoken, the same on every connection.
pub(crate) struct Protocol(auto::Builder<TokioExecutor>);

impl Default for Protocol {
    fn default() -> Self {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .max_buf_size(BUFFER_BYTES)
            // Head and body leave as one piece of memory: for replies of the usual size that is cheaper
            // than to have the system gather them. Bodies come in pieces, so little is copied at once.
            .writev(false)
            // The keeper's business: hyper's own timer runs between requests too, and allocates.
            .header_read_timeout(None);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS)
            .max_header_list_size(HEADER_LIST_BYTES)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_send_buf_size(SEND_BYTES)
            .max_pending_accept_reset_streams(EARLY_RESETS)
            .max_local_error_reset_streams(ERROR_RESETS);
        Self(builder)
    }
}

impl Protocol {
    /// Serves one connection until it ends or is told to.
    pub(crate) async fn serve(self: Arc<Self>, stream: TcpStream, link: Arc<Link>) {
        // A reply goes out in one or two small writes: waiting for the client's acknowledgement of
        // the first would add 40 ms to every round. A socket that refuses the option still works.
        let _ = stream.set_nodelay(true);
        let Some(tls) = &link.shared.tls else {
            return self.speak(stream, link).await;
        };
        let handshake = pin!(tls.acceptor().accept(stream));
        match told_or(&link, handshake).await {
            Some(Ok(stream)) => self.speak(stream, Arc::clone(&link)).await,
            Some(Err(_)) => link.shared.connections.count(Happened::HandshakeFailed),
            None => {}
        }
    }

    async fn speak(&self, stream: impl AsyncRead + AsyncWrite + Unpin + 'static, link: Arc<Link>) {
        let io = NotedIo::new(TokioIo::new(stream), Arc::clone(&link));
        let answering = Arc::clone(&link);
        let answer = service_fn(move |request| service::answer(Arc::clone(&answering), request));
        let mut connection = pin!(self.0.serve_connection(io, answer));
        let mut told = false;
        poll_fn(|cx| {
            link.listen(cx);
            link.turn_begins();
            loop {
                match link.order() {
                    Order::Cut => return Poll::Ready(()),
                    Order::Finish if !told => {
                        told = true;
                        connection.as_mut().graceful_shutdown();
                    }
                    _ => {}
                }
                // What went wrong is the peer's affair, and told to it where HTTP has a way.
                if connection.as_mut().poll(cx).is_ready() {
                    return Poll::Ready(());
                }
                // A request may have ended the connection while it was polled.
                if told || link.order() == Order::Serve {
                    return Poll::Pending;
                }
            }
        })
        .await;
    }
}

/// The future's value, or `None` when the connection is told to end before that.
async fn told_or<F: Future>(link: &Link, mut future: Pin<&mut F>) -> Option<F::Output> {
    poll_fn(|cx: &mut Context<'_>| {
        link.listen(cx);
        if link.order() != Order::Serve {
            return Poll::Ready(None);
        }
        future.as_mut().poll(cx).map(Some)
    })
    .await
}
