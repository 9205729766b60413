use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use crate::http::event_stream::EventStream;
use crate::http::line_end::LineEnd;

/// The body of a reply: bytes that are there already, or events that are still to come.
pub struct ReplyBody(Kind);

/// Longer bodies are handed over in pieces of this many bytes: the transport copies each, and keeps
/// the room for the longest as long as the connection.
const PIECE_BYTES: usize = 16 << 10;

enum Kind {
    /// What is left to hand over; `None` for nothing.
    Whole(Option<Bytes>),
    Events(Box<EventStream>),
}

impl ReplyBody {
    pub(crate) const fn empty() -> Self {
        Self(Kind::Whole(None))
    }

    pub(crate) fn whole(bytes: Bytes) -> Self {
        Self(Kind::Whole(Some(bytes).filter(|b| !b.is_empty())))
    }

    pub(crate) fn events(events: EventStream) -> Self {
        Self(Kind::Events(Box::new(events)))
    }

    /// An event stream, whole or not, with other line ends.
    pub(crate) fn with_line_end(self, end: LineEnd) -> Self {
        match self.0 {
            Kind::Whole(bytes) => Self(Kind::Whole(bytes.map(|bytes| end.apply(&bytes)))),
            Kind::Events(mut events) => {
                events.end_lines_with(end);
                Self(Kind::Events(events))
            }
        }
    }

    /// The bytes of a body that is there already.
    ///
    /// # Errors
    /// Gives the body back when it is a stream.
    pub(crate) fn into_bytes(self) -> Result<Bytes, Self> {
        match self.0 {
            Kind::Whole(bytes) => Ok(bytes.unwrap_or_default()),
            events @ Kind::Events(_) => Err(Self(events)),
        }
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.get_mut().0 {
            Kind::Whole(bytes) => Poll::Ready(next_piece(bytes).map(|b| Ok(Frame::data(b)))),
            Kind::Events(events) => events
                .poll_event(cx)
                .map(|event| event.map(|b| Ok(Frame::data(b)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Whole(bytes) => bytes.is_none(),
            Kind::Events(events) => events.is_over(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |b| b.len() as u64))
            }
            Kind::Events(_) => SizeHint::default(),
        }
    }
}

fn next_piece(left: &mut Option<Bytes>) -> Option<Bytes> {
    let mut bytes = left.take()?;
    if bytes.len() > PIECE_BYTES {
        *left = Some(bytes.split_off(PIECE_BYTES));
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[tokio::test]
    async fn a_long_body_comes_in_pieces_that_make_it_up() {
        let bytes: Bytes = (0..40_000).map(|i| (i % 251) as u8).collect();
        let mut body = ReplyBody::whole(bytes.clone());
        let mut came = Vec::new();
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            came.extend_from_slice(&frame.unwrap().into_data().unwrap());
            let left = (bytes.len() - came.len()) as u64;
            assert_eq!(body.size_hint().exact(), Some(left));
            assert_eq!(body.is_end_stream(), left == 0);
        }
        assert_eq!(came, bytes);
    }
}
