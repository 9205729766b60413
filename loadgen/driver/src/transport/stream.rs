use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;

use super::io::Io;

/// A connection whose writing side never fails because the peer has closed: what is written then is
/// dropped, and the reading side tells the end. A server that refuses a large body (413, say)
/// replies and closes before it has read it all; a failed write would hide that reply.
#[derive(Debug)]
pub(super) struct Stream(TokioIo<Io>);

impl Stream {
    pub(super) fn new(io: Io) -> Self {
        Self(TokioIo::new(io))
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0)
            .poll_write(cx, buf)
            .map(|written| unless_closed(written, buf.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let all = bufs.iter().map(|buf| buf.len()).sum();
        Pin::new(&mut self.0)
            .poll_write_vectored(cx, bufs)
            .map(|written| unless_closed(written, all))
    }
}

fn unless_closed(written: io::Result<usize>, all: usize) -> io::Result<usize> {
    match written {
        Err(e) if matches!(e.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => Ok(all),
        written => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_closed_peer_is_passed_over() {
        for kind in [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset] {
            assert_eq!(unless_closed(Err(kind.into()), 7).unwrap(), 7);
        }
        assert!(unless_closed(Err(ErrorKind::TimedOut.into()), 7).is_err());
        assert_eq!(unless_closed(Ok(3), 7).unwrap(), 3);
    }
}
