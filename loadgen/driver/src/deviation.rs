//! HTTP statuses that are not those which the protocol gives to a JSON-RPC error. What a reply means
//! follows from the error; this only says so.

use loadgen_measure::StatusDeviation;
use loadgen_protocol::Response;

use crate::classify::Reply;

/// The error of a reply that did not end well, if it came with another HTTP status than its own. The
/// head of an event stream goes out before the error is known, so its status says nothing.
pub(crate) fn deviation(reply: &Reply) -> Option<StatusDeviation> {
    if reply.media_type == "text/event-stream" {
        return None;
    }
    let response: Response<'_> = serde_json::from_slice(&reply.body).ok()?;
    let code = response.error?.code;
    let expected = code.http_status()?;
    (reply.status != expected).then_some(StatusDeviation {
        code: code.0,
        status: reply.status,
        expected,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(status: u16, media_type: &'static str, body: &str) -> Option<(i64, u16, u16)> {
        let reply = Reply {
            status,
            media_type: media_type.into(),
            body: body.as_bytes().to_vec(),
            ..Reply::default()
        };
        deviation(&reply).map(|d| (d.code, d.status, d.expected))
    }

    #[test]
    fn only_another_status_than_the_codes_own_is_one() {
        let error = |code: i64| format!(r#"{{"id":1,"error":{{"code":{code},"message":"no"}}}}"#);
        let json = "application/json";
        for (code, own) in [(-32601, 404), (-32020, 400), (-32021, 400), (-32022, 400)] {
            assert_eq!(seen(own, json, &error(code)), None);
            assert_eq!(seen(200, json, &error(code)), Some((code, 200, own)));
            assert_eq!(seen(200, "text/event-stream", &error(code)), None);
        }
        for code in [-32700, -32602, -32603, -32000, 429] {
            assert_eq!(seen(200, json, &error(code)), None, "{code} has no status");
        }
        assert_eq!(seen(500, json, r#"{"id":1,"result":{}}"#), None);
        assert_eq!(seen(200, "text/html", "<html>"), None);
    }
}
