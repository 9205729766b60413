use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;

use bytes::Bytes;
use hyper::body::Body;
use thiserror::Error;

/// How far past the limit a body is read and thrown away, in bytes, so that a client that is still
/// sending gets to read the refusal instead of a reset connection.
const DRAIN_MAX: u64 = 64 << 20;

/// Why a body breaks off.
#[derive(Debug, Error)]
pub enum BodyFault {
    /// The client went away, or its framing was broken.
    #[error("the body broke off: {0}")]
    Broken(#[from] hyper::Error),
    /// It came so slowly that it was given up.
    #[error("the body took too long")]
    Slow,
}

impl From<Infallible> for BodyFault {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// Why there is no body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Incomplete {
    /// More bytes than the limit, counted while they arrived or announced beforehand.
    TooLarge,
    /// The client went away, or its framing was broken.
    Broken,
    /// It came so slowly that it was given up.
    Slow,
}

impl From<BodyFault> for Incomplete {
    fn from(fault: BodyFault) -> Self {
        match fault {
            BodyFault::Broken(_) => Self::Broken,
            BodyFault::Slow => Self::Slow,
        }
    }
}

/// Reads a whole body of at most `limit` bytes. Nothing beyond the limit is ever held: the count
/// goes up with each piece, whatever Content-Length says, and what was held is freed on excess.
///
/// `patient` says that the client waits for a go-ahead (`Expect: 100-continue`), so that an
/// announced excess can be refused without reading.
pub(crate) async fn collect<B>(body: B, limit: usize, patient: bool) -> Result<Bytes, Incomplete>
where
    B: Body<Data = Bytes, Error: Into<BodyFault>> + Unpin,
{
    let mut body = body;
    let announced = body.size_hint();
    if announced.lower() > limit as u64 {
        if !patient && announced.lower() <= DRAIN_MAX {
            Box::pin(drain(body)).await;
        }
        return Err(Incomplete::TooLarge);
    }
    let Some(first) = next(&mut body).await? else {
        return Ok(Bytes::new());
    };
    if first.len() > limit {
        Box::pin(drain(body)).await;
        return Err(Incomplete::TooLarge);
    }
    // Most requests come in one piece and are taken as they are.
    if body.is_end_stream() {
        return Ok(first);
    }
    let Some(second) = next(&mut body).await? else {
        return Ok(first);
    };
    // Cannot overflow the limit: the announced length was compared above.
    let expected = usize::try_from(announced.exact().unwrap_or(0)).unwrap_or(0);
    let mut whole = Vec::with_capacity(expected.max(first.len() + second.len()).min(limit));
    whole.extend_from_slice(&first);
    let mut piece = second;
    loop {
        if whole.len() + piece.len() > limit {
            drop(whole);
            drop(piece);
            Box::pin(drain(body)).await;
            return Err(Incomplete::TooLarge);
        }
        whole.extend_from_slice(&piece);
        match next(&mut body).await? {
            Some(more) => piece = more,
            None => return Ok(whole.into()),
        }
    }
}

/// Reads and throws away up to [`DRAIN_MAX`] bytes, or until the client stops.
pub(crate) async fn drain<B>(body: B)
where
    B: Body<Data = Bytes, Error: Into<BodyFault>> + Unpin,
{
    let mut body = body;
    let mut seen = 0u64;
    while let Ok(Some(piece)) = next(&mut body).await {
        seen += piece.len() as u64;
        if seen > DRAIN_MAX {
            return;
        }
    }
}

/// The next piece of data; trailers are skipped.
async fn next<B>(body: &mut B) -> Result<Option<Bytes>, Incomplete>
where
    B: Body<Data = Bytes, Error: Into<BodyFault>> + Unpin,
{
    loop {
        match poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await {
            None => return Ok(None),
            Some(Err(fault)) => return Err(fault.into().into()),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::task::{Context, Poll};

    use http_body_util::Full;
    use hyper::body::Frame;

    use super::*;

    /// A body of unknown length that arrives in these pieces.
    struct Pieces(VecDeque<Bytes>);

    impl Body for Pieces {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Ready(self.0.pop_front().map(|piece| Ok(Frame::data(piece))))
        }
    }

    fn pieces(sizes: &[usize]) -> Pieces {
        Pieces(sizes.iter().map(|&n| Bytes::from(vec![b'x'; n])).collect())
    }

    #[tokio::test]
    async fn a_body_of_exactly_the_limit_passes_however_it_is_cut() {
        for sizes in [&[100][..], &[99, 1], &[1; 100], &[0, 100, 0]] {
            let whole = collect(pieces(sizes), 100, false).await.unwrap();
            assert_eq!(whole.len(), 100, "{sizes:?}");
        }
    }

    #[tokio::test]
    async fn one_byte_more_is_too_large_however_it_is_cut() {
        for sizes in [&[101][..], &[100, 1], &[1; 101], &[50, 1000]] {
            let got = collect(pieces(sizes), 100, false).await;
            assert_eq!(got, Err(Incomplete::TooLarge), "{sizes:?}");
        }
    }

    #[tokio::test]
    async fn an_announced_excess_is_too_large() {
        let body = Full::new(Bytes::from_static(&[0; 101]));
        assert_eq!(collect(body, 100, true).await, Err(Incomplete::TooLarge));
    }

    #[tokio::test]
    async fn an_empty_body_is_empty() {
        assert_eq!(collect(pieces(&[]), 100, false).await, Ok(Bytes::new()));
    }
}
