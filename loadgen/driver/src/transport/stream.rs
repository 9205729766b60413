use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;

use super::io::Io;
use super::lane::Begun;

/// A connection whose writing side never fails because the peer has closed: what is written then is
/// dropped, and the reading side tells the end. A server that refuses a large body (413, say)
/// replies and closes before it has read it all; a failed write would hide that reply.
#[derive(Debug)]
pub(super) struct Stream {
    io: TokioIo<Io>,
    /// What went over it before, as long as that is not caught up with.
    again: Option<Box<Again>>,
}

/// An exchange that is taken over in its midst: what was written is not written again, and what has
/// come comes once more, after that.
#[derive(Debug)]
struct Again {
    begun: Begun,
    reader: Option<Waker>,
}

impl Stream {
    /// A connection over which this much has gone.
    pub(super) fn new(io: Io, begun: Begun) -> Self {
        let Begun { written, came } = &begun;
        let again = (*written > 0 || !came.is_empty()).then(|| {
            let reader = None;
            Box::new(Again { begun, reader })
        });
        Self {
            io: TokioIo::new(io),
            again,
        }
    }

    /// How many of these bytes, which are to be written, have been.
    fn written_before(&mut self, bytes: usize) -> Option<usize> {
        let Again { begun, reader } = self.again.as_deref_mut()?;
        if begun.written == 0 {
            return None;
        }
        let before = bytes.min(begun.written);
        begun.written -= before;
        if let Some(reader) = reader.take_if(|_| begun.written == 0) {
            reader.wake();
        }
        Some(before)
    }
}

impl Again {
    /// What has come, as far as there is room for it.
    fn read(&mut self, cx: &Context<'_>, mut buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        if self.begun.written > 0 {
            // A reply to what is not written yet would be none.
            self.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let came = &mut self.begun.came;
        let rest = came.split_off(came.len().min(buf.remaining()));
        buf.put_slice(came);
        *came = rest;
        Poll::Ready(Ok(()))
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let Some(again) = &mut self.again else {
            return Pin::new(&mut self.io).poll_read(cx, buf);
        };
        if again.begun.written == 0 && again.begun.came.is_empty() {
            self.again = None;
            return Pin::new(&mut self.io).poll_read(cx, buf);
        }
        again.read(cx, buf)
    }
}

impl Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Some(before) = self.written_before(buf.len()) {
            return Poll::Ready(Ok(before));
        }
        Pin::new(&mut self.io)
            .poll_write(cx, buf)
            .map(|written| unless_closed(written, buf.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let all = bufs.iter().map(|buf| buf.len()).sum();
        if let Some(before) = self.written_before(all) {
            return Poll::Ready(Ok(before));
        }
        Pin::new(&mut self.io)
            .poll_write_vectored(cx, bufs)
            .map(|written| unless_closed(written, all))
    }
}

/// What was written; `all` when nobody reads it.
pub(super) fn unless_closed<T>(written: io::Result<T>, all: T) -> io::Result<T> {
    match written {
        Err(e) if matches!(e.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => Ok(all),
        written => written,
    }
}

#[cfg(test)]
mod tests {
    use hyper::rt::ReadBuf;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::time::Instant;

    use super::super::answering::Answering;
    use super::super::io::Wire;
    use super::*;

    /// The next bytes, as many as fit.
    async fn next(stream: &mut Stream, room: usize) -> Vec<u8> {
        let mut bytes = vec![0; room];
        let mut buffer = ReadBuf::new(&mut bytes);
        std::future::poll_fn(|cx| Pin::new(&mut *stream).poll_read(cx, buffer.unfilled()))
            .await
            .unwrap();
        buffer.filled().to_vec()
    }

    async fn write(stream: &mut Stream, bytes: &[u8]) -> usize {
        std::future::poll_fn(|cx| Pin::new(&mut *stream).poll_write(cx, bytes))
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn what_was_begun_is_gone_through_again_and_goes_on() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap());
        let (near, far) = tokio::join!(near, listener.accept());
        let mut far = far.unwrap().0;
        let io = Io::new(Wire::Plain(near.unwrap()), &Answering::new(Instant::now()));
        let came = b"reply".to_vec();
        let mut stream = Stream::new(io, Begun { written: 5, came });
        let mut cx = Context::from_waker(Waker::noop());
        let mut bytes = [0; 9];
        let mut early = ReadBuf::new(&mut bytes);
        let read = Pin::new(&mut stream).poll_read(&mut cx, early.unfilled());
        assert!(read.is_pending(), "nothing is asked yet");
        assert_eq!(write(&mut stream, b"req").await, 3);
        assert_eq!(write(&mut stream, b"uest").await, 2);
        assert_eq!(next(&mut stream, 2).await, b"re");
        assert_eq!(write(&mut stream, b"st").await, 2);
        assert_eq!(next(&mut stream, 9).await, b"ply");
        far.write_all(b"more").await.unwrap();
        assert_eq!(next(&mut stream, 9).await, b"more");
        drop(stream);
        let mut all = Vec::new();
        far.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, b"st", "the rest alone");
    }

    #[test]
    fn only_a_closed_peer_is_passed_over() {
        for kind in [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset] {
            assert_eq!(unless_closed(Err(kind.into()), 7).unwrap(), 7);
        }
        assert!(unless_closed(Err(ErrorKind::TimedOut.into()), 7).is_err());
        assert_eq!(unless_closed(Ok(3), 7).unwrap(), 3);
    }
}
