use super::meaning::{Meaning, protocol};
use super::reply::Reply;
use super::words::{clip, header_hint};
use crate::throttle::{Notice, Said};

/// No JSON-RPC in the body: status, header fields and perhaps a problem document are all there is.
pub(super) fn without_body(reply: &Reply, why: &str) -> Meaning {
    let said = Said::by_page(&reply.media_type, &reply.body);
    if let Some(notice) = Notice::read(reply.status, &reply.fields.map(), said) {
        let why = format!("HTTP {}", reply.status);
        return Meaning::Throttled { notice, why };
    }
    let media_type = match reply.media_type.as_ref() {
        "" => "no content type".to_owned(),
        given => clip(given),
    };
    protocol(format!(
        "HTTP {} with {media_type} and no JSON-RPC response: {why}{}",
        reply.status,
        header_hint(reply.status)
    ))
}
