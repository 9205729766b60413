use loadgen_protocol::Response;

use super::{Reply, beginning, clip};

/// Reads the JSON-RPC response in a body, or tells in words what keeps it from being one.
pub(super) fn response(reply: &Reply) -> Result<Response<'_>, String> {
    let body = reply.body.as_slice();
    match Response::parse(body) {
        // serde takes the members of an array for those of an object.
        Ok(response)
            if (response.result.is_some() || response.error.is_some())
                && body.trim_ascii_start().starts_with(b"{") =>
        {
            Ok(response)
        }
        read => Err(fault(reply, read.err())),
    }
}

/// The same words for the same fault: a body that is nearly a response holds the request's own id and
/// is not repeated, nor is the place where it breaks.
fn fault(reply: &Reply, error: Option<serde_json::Error>) -> String {
    let body = reply.body.trim_ascii_start();
    if body.is_empty() {
        return "an empty body".to_owned();
    }
    if reply.media_type == "text/event-stream" {
        return "the stream ended without one".to_owned();
    }
    if body.starts_with(b"\xef\xbb\xbf") {
        return "the body begins with a byte order mark".to_owned();
    }
    match (body[0], error) {
        (b'[', _) => "the body is an array, as of a batch".to_owned(),
        (b'{', _) if std::str::from_utf8(body).is_err() => "the body is no UTF-8".to_owned(),
        (b'{', Some(error)) => {
            let why = error.to_string();
            let why = why.rsplit_once(" at line ").map_or(&*why, |(why, _)| why);
            format!("the body cannot be read: {}", clip(why))
        }
        (b'{', None) => "the body has neither result nor error".to_owned(),
        _ => beginning(&reply.body),
    }
}
