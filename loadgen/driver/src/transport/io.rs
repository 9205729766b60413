use std::cell::Cell;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use super::answering::{Answering, One};

/// The bytes of a connection, bare or over TLS.
#[derive(Debug)]
pub(super) struct Io {
    wire: Wire,
    /// Reads that gave something, so that whoever sends can tell whether anything came back.
    reads: Rc<Cell<u64>>,
    answering: Rc<Answering>,
    /// Since the first of those reads.
    answers: Option<One>,
}

#[derive(Debug)]
pub(super) enum Wire {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Io {
    pub(super) fn new(wire: Wire, answering: &Rc<Answering>) -> Self {
        Self {
            wire,
            reads: Rc::default(),
            answering: Rc::clone(answering),
            answers: None,
        }
    }

    /// Whether nothing has come and the peer has not closed, as far as is known without waiting.
    pub(super) fn is_quiet(&mut self) -> bool {
        let mut byte = [0];
        match &mut self.wire {
            // No call of the kernel unless it has said that there is something.
            Wire::Plain(stream) => {
                let read = stream.try_read(&mut byte);
                read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
            }
            Wire::Tls(stream) => {
                let mut cx = Context::from_waker(Waker::noop());
                let mut byte = ReadBuf::new(&mut byte);
                Pin::new(&mut **stream)
                    .poll_read(&mut cx, &mut byte)
                    .is_pending()
            }
        }
    }

    /// The count of reads that gave something.
    pub(super) fn reads(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.reads)
    }
}

/// Calls the same method of whichever it is.
macro_rules! either {
    ($self:ident, $stream:ident => $call:expr) => {
        match &mut $self.get_mut().wire {
            Wire::Plain(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
            Wire::Tls(stream) => {
                let $stream = Pin::new(&mut **stream);
                $call
            }
        }
    };
}

impl AsyncRead for Io {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let this = self.get_mut();
        let read = match &mut this.wire {
            Wire::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Wire::Tls(stream) => Pin::new(&mut **stream).poll_read(cx, buf),
        };
        if buf.filled().len() > before {
            this.reads.set(this.reads.get() + 1);
            if this.answers.is_none() {
                this.answers = Some(this.answering.one());
            }
        }
        read
    }
}

impl AsyncWrite for Io {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        either!(self, stream => stream.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(self, stream => stream.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        match &self.wire {
            Wire::Plain(stream) => stream.is_write_vectored(),
            Wire::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => stream.poll_shutdown(cx))
    }
}
