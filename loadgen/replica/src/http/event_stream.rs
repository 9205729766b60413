use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{BufMut as _, Bytes, BytesMut};
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep};

use crate::http::line_end::LineEnd;

/// How long a stream may be silent before a comment keeps it alive, as in the SDKs.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// The comment that keeps a silent stream alive (the SSE standard has clients skip it).
const COMMENT: &[u8] = b": keep-alive\n\n";

/// The work behind a streamed reply; gives the last message.
pub(crate) type Work = Pin<Box<dyn Future<Output = Bytes> + Send>>;

/// A reply as server-sent events: notifications while the work goes on, then its last message.
///
/// The work runs inside the body, so a client that closes the connection ends it: nothing of it
/// happens after that.
pub(crate) struct EventStream {
    first: Option<Bytes>,
    notices: mpsc::Receiver<Bytes>,
    /// `None` once it is done.
    work: Option<Work>,
    silent_until: Pin<Box<Sleep>>,
    /// `None` for LF.
    line_end: Option<LineEnd>,
}

impl EventStream {
    /// Streams `first`, what comes from `notices`, and what `work` ends with: JSON messages, all of
    /// them.
    pub(crate) fn new(first: Bytes, notices: mpsc::Receiver<Bytes>, work: Work) -> Self {
        Self {
            first: Some(first),
            notices,
            work: Some(work),
            silent_until: Box::pin(tokio::time::sleep(KEEP_ALIVE)),
            line_end: None,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.work.is_none()
    }

    pub(crate) fn end_lines_with(&mut self, end: LineEnd) {
        self.line_end = Some(end);
    }

    /// The next piece of the stream; `None` after the last message.
    pub(crate) fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let piece = ready!(self.poll_piece(cx));
        Poll::Ready(match self.line_end {
            None => piece,
            Some(end) => piece.map(|piece| end.apply(&piece)),
        })
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let Some(work) = &mut self.work else {
            return Poll::Ready(None);
        };
        let message = match self.first.take() {
            Some(first) => first,
            None => {
                // The work first, since it is what makes notices; but they go out before its end.
                let last = work.as_mut().poll(cx);
                match (self.notices.poll_recv(cx), last) {
                    (Poll::Ready(Some(notice)), last) => {
                        if let Poll::Ready(last) = last {
                            self.work = Some(Box::pin(std::future::ready(last)));
                        }
                        notice
                    }
                    (_, Poll::Ready(last)) => {
                        self.work = None;
                        last
                    }
                    _ => {
                        ready!(self.silent_until.as_mut().poll(cx));
                        self.rest();
                        // Arms the timer anew.
                        let _ = self.silent_until.as_mut().poll(cx);
                        return Poll::Ready(Some(Bytes::from_static(COMMENT)));
                    }
                }
            }
        };
        self.rest();
        Poll::Ready(Some(event(&message)))
    }

    fn rest(&mut self) {
        self.silent_until
            .as_mut()
            .reset(Instant::now() + KEEP_ALIVE);
    }
}

/// One message as an event (WHATWG HTML, section 9.2: server-sent events). JSON text as it is
/// written here has no line ends.
pub(crate) fn event(message: &[u8]) -> Bytes {
    const HEAD: &[u8] = b"event: message\ndata: ";
    let mut out = BytesMut::with_capacity(HEAD.len() + message.len() + 2);
    out.put_slice(HEAD);
    out.put_slice(message);
    out.put_slice(b"\n\n");
    out.freeze()
}

#[cfg(test)]
mod tests {
    use std::future::{pending, poll_fn};

    use super::*;

    async fn next(stream: &mut EventStream) -> Option<String> {
        let piece = poll_fn(|cx| stream.poll_event(cx)).await?;
        Some(String::from_utf8(piece.to_vec()).unwrap())
    }

    fn said(message: &str) -> Option<String> {
        Some(format!("event: message\ndata: {message}\n\n"))
    }

    #[tokio::test]
    async fn notices_go_out_before_the_last_message_and_the_stream_ends_with_it() {
        let (to, notices) = mpsc::channel(8);
        let work = Box::pin(async move {
            to.send("2".into()).await.unwrap();
            to.send("3".into()).await.unwrap();
            Bytes::from_static(b"4")
        });
        let mut stream = EventStream::new("1".into(), notices, work);
        for message in ["1", "2", "3", "4"] {
            assert!(!stream.is_over());
            assert_eq!(next(&mut stream).await, said(message));
        }
        assert!(stream.is_over());
        assert_eq!(next(&mut stream).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_filled_with_comments() {
        let (_to, notices) = mpsc::channel(1);
        let mut stream = EventStream::new("1".into(), notices, Box::pin(pending()));
        assert_eq!(next(&mut stream).await, said("1"));
        let start = Instant::now();
        for comment in 1..=3 {
            assert_eq!(next(&mut stream).await.as_deref(), Some(": keep-alive\n\n"));
            assert_eq!(start.elapsed().as_secs(), 15 * comment);
        }
    }

    #[tokio::test]
    async fn a_stream_that_is_dropped_drops_its_work() {
        let (alive, mut ended) = tokio::sync::oneshot::channel::<()>();
        let (_to, notices) = mpsc::channel(1);
        let work = Box::pin(async move {
            let _alive = alive;
            pending::<Bytes>().await
        });
        let mut stream = EventStream::new("1".into(), notices, work);
        next(&mut stream).await;
        assert!(
            ended
                .try_recv()
                .is_err_and(|e| e == tokio::sync::oneshot::error::TryRecvError::Empty)
        );
        drop(stream);
        assert!(ended.await.is_err());
    }
}
