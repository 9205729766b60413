use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use crate::server::link::InFlight;
use crate::server::policy::Drip;

/// A reply body on its way out: its request is in flight until it was handed over wholly, and it is
/// cut into pieces when the policy says so.
pub(crate) struct Outgoing<B> {
    inner: B,
    dripping: Option<Box<Dripping>>,
    _in_flight: InFlight,
}

struct Dripping {
    drip: Drip,
    /// Taken from the body and not yet sent.
    rest: Bytes,
    pause: Pin<Box<Sleep>>,
}

impl<B> Outgoing<B> {
    pub(crate) fn new(inner: B, drip: Option<Drip>, in_flight: InFlight) -> Self {
        let dripping = drip.map(|drip| {
            Box::new(Dripping {
                drip,
                rest: Bytes::new(),
                pause: Box::pin(tokio::time::sleep(drip.pause)),
            })
        });
        Self {
            inner,
            dripping,
            _in_flight: in_flight,
        }
    }
}

impl Dripping {
    fn poll_piece<B>(
        &mut self,
        mut body: Pin<&mut B>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>>
    where
        B: Body<Data = Bytes, Error = Infallible>,
    {
        while self.rest.is_empty() {
            match ready!(body.as_mut().poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                None => return Poll::Ready(None),
            }
        }
        ready!(self.pause.as_mut().poll(cx));
        self.pause.as_mut().reset(Instant::now() + self.drip.pause);
        let piece = self.drip.piece().get().min(self.rest.len());
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(piece)))))
    }
}

impl<B> Body for Outgoing<B>
where
    B: Body<Data = Bytes, Error = Infallible> + Unpin,
{
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        let inner = Pin::new(&mut this.inner);
        match &mut this.dripping {
            None => inner.poll_frame(cx),
            Some(dripping) => dripping.poll_piece(inner, cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        let rest = self.dripping.as_ref().map_or(0, |d| d.rest.len());
        rest == 0 && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.inner.size_hint();
        if let Some(dripping) = &self.dripping {
            let rest = dripping.rest.len() as u64;
            if let Some(upper) = hint.upper() {
                hint.set_upper(upper.saturating_add(rest));
            }
            hint.set_lower(hint.lower().saturating_add(rest));
        }
        hint
    }
}
