use http::Response;
use thiserror::Error;

/// Takes the place of a reply when the client must not get one: an HTTP/1.1 connection is closed,
/// an HTTP/2 stream is reset (`INTERNAL_ERROR`).
///
/// A reply with this among its extensions is not sent. Whether the request was executed before is
/// the affair of whoever put it there.
#[derive(Debug, Clone, Copy, Error)]
#[error("cut off instead of answered")]
pub(crate) struct Cut;

impl Cut {
    pub(crate) fn is_wanted<B>(reply: &Response<B>) -> bool {
        reply.extensions().get::<Self>().is_some()
    }
}
