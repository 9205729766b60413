//! `server/discover`: is this a server of this revision?

use std::fmt;

use bytes::Bytes;
use hyper::header::AUTHORIZATION;
use loadgen_protocol::names::method;
use loadgen_protocol::{ErrorCode, PROTOCOL_VERSION, Response};
use serde::Deserialize;
use serde_json::json;

use super::{PATIENCE, Probe};
use crate::classify::{Reply, beginning, clip, header_hint};
use crate::transport::{Failure, Outgoing, RequestHeaders};
use crate::workflow::{request_headers, request_meta};

/// What a server says about itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Discovered {
    /// It speaks this revision.
    Usable {
        /// What is odd about it all the same.
        warning: Option<String>,
    },
    /// It cannot be loaded.
    Unusable {
        /// One line for people.
        why: String,
    },
}

impl Probe<'_> {
    /// Asks who is there. A refusal of this revision's version by a server that names the very same
    /// one as supported is asked again, once, as the specification wants it of a client.
    pub(super) async fn discover(&self) -> Result<Discovered, Failure> {
        let reply = self.ask("\"probe\"", method::DISCOVER, None).await?;
        if !refuses_what_it_supports(&reply) {
            return Ok(read(&reply));
        }
        self.ask("\"probe.1\"", method::DISCOVER, None)
            .await
            .map(|reply| read(&reply))
    }

    /// A request of its own, beside any workflow.
    pub(super) async fn ask(
        &self,
        id: &str,
        method: &'static str,
        cursor: Option<&str>,
    ) -> Result<Reply, Failure> {
        let client = &self.plan.client;
        let mut params = json!({"_meta": request_meta(client)});
        if let Some(cursor) = cursor {
            params["cursor"] = cursor.into();
        }
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        let headers = RequestHeaders::new(&request_headers(client, method));
        let token = client.principals.token(self.plan.principal(u64::MAX));
        let own_headers: Vec<_> = token
            .map(|token| (AUTHORIZATION, token.clone()))
            .into_iter()
            .collect();
        self.send(Outgoing {
            to: 0,
            headers: &headers,
            own_headers: &own_headers,
            id,
            body: Bytes::from(body),
            timeout: PATIENCE,
        })
        .await
    }
}

fn refuses_what_it_supports(reply: &Reply) -> bool {
    #[derive(Deserialize)]
    struct Named {
        supported: Vec<String>,
    }
    serde_json::from_slice::<Response<'_>>(&reply.body)
        .ok()
        .and_then(|response| response.error)
        .filter(|error| error.code == ErrorCode::UNSUPPORTED_VERSION)
        .and_then(|error| serde_json::from_value::<Named>(error.data?).ok())
        .is_some_and(|named| named.supported.iter().any(|v| v == PROTOCOL_VERSION))
}

fn read(reply: &Reply) -> Discovered {
    match problem(reply) {
        Some(why) => Discovered::Unusable { why },
        None => Discovered::Usable {
            warning: reply.session.then(|| {
                "sends Mcp-Session-Id, which this revision does not have; it is not sent back"
                    .to_owned()
            }),
        },
    }
}

/// What shows to be wrong; `None` for a server of this revision.
fn problem(reply: &Reply) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Versions {
        supported_versions: Vec<String>,
    }
    let response = serde_json::from_slice::<Response<'_>>(&reply.body)
        .ok()
        .filter(|r| r.result.is_some() || r.error.is_some());
    let said = Said(reply);
    let Some(response) = response else {
        let session = beginning(&reply.body)
            .to_ascii_lowercase()
            .contains("session");
        if reply.session || session {
            return Some(session_bound(&said));
        }
        return Some(format!("is no MCP endpoint: {said}{}", hint(reply.status)));
    };
    if let Some(error) = &response.error {
        // A server of this revision that lacks the method is odd, but can be loaded.
        if error.code == ErrorCode::METHOD_NOT_FOUND && reply.status == 404 {
            return None;
        }
        let old = reply.session
            || error.message.to_ascii_lowercase().contains("session")
            || error.message.to_ascii_lowercase().contains("initializ")
            || error.code == ErrorCode::METHOD_NOT_FOUND;
        return Some(if old {
            session_bound(&said)
        } else {
            format!("refuses server/discover: {said}{}", hint(reply.status))
        });
    }
    let versions = response
        .result
        .and_then(|result| serde_json::from_str::<Versions>(result.get()).ok());
    match versions {
        Some(v) if v.supported_versions.iter().any(|v| v == PROTOCOL_VERSION) => None,
        _ if reply.session => Some(session_bound(&said)),
        None => Some(format!(
            "answers server/discover without supportedVersions: {said}"
        )),
        Some(v) => Some(format!(
            "speaks {}, not {PROTOCOL_VERSION}",
            clip(&v.supported_versions.join(", "))
        )),
    }
}

fn session_bound(said: &Said<'_>) -> String {
    format!(
        "is a session-bound server of revision 2025-11-25 or older, which cannot be loaded without \
         sticky sessions: {said}"
    )
}

fn hint(status: u16) -> &'static str {
    match status {
        404 => " (is the path right? MCP servers usually listen at /mcp)",
        421 | 403 => " (the server refuses this host name; try 127.0.0.1 or localhost)",
        401 => " (the server wants a token)",
        status => header_hint(status),
    }
}

/// Status, type and the beginning of a reply, in one line.
struct Said<'a>(&'a Reply);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reply = self.0;
        write!(f, "HTTP {}", reply.status)?;
        if !reply.media_type.is_empty() {
            write!(f, " {}", clip(&reply.media_type))?;
        }
        let body = beginning(&reply.body);
        if body.is_empty() {
            f.write_str(" with an empty body")
        } else {
            write!(f, " `{body}`")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(status: u16, media_type: &str, body: &str, session: bool) -> Option<String> {
        problem(&Reply {
            status,
            media_type: media_type.to_owned().into(),
            body: body.as_bytes().to_vec(),
            session,
            ..Reply::default()
        })
    }

    #[test]
    fn a_server_of_this_revision_passes() {
        let body = r#"{"id":"probe","result":{"supportedVersions":["2026-07-28"]}}"#;
        assert_eq!(told(200, "application/json", body, false), None);
        let body = r#"{"id":"probe","error":{"code":-32601,"message":"no"}}"#;
        assert_eq!(told(404, "application/json", body, false), None);
    }

    #[test]
    fn a_session_header_of_a_server_of_this_revision_is_only_odd() {
        let reply = Reply {
            status: 200,
            body: br#"{"id":"probe","result":{"supportedVersions":["2026-07-28"]}}"#.to_vec(),
            session: true,
            ..Reply::default()
        };
        let Discovered::Usable { warning } = read(&reply) else {
            panic!("it names this revision");
        };
        assert!(warning.unwrap().starts_with("sends Mcp-Session-Id"));
    }

    #[test]
    fn only_a_refusal_of_a_version_that_is_named_is_asked_again() {
        let refused = |code: i64, supported: &str| {
            refuses_what_it_supports(&Reply {
                status: 400,
                body: format!(
                    r#"{{"id":"probe","error":{{"code":{code},"message":"","data":{{"supported":{supported}}}}}}}"#
                )
                .into_bytes(),
                ..Reply::default()
            })
        };
        assert!(refused(-32022, r#"["2026-07-28"]"#));
        assert!(!refused(-32022, r#"["2025-11-25"]"#));
        assert!(!refused(-32022, "7"));
        assert!(!refused(-32020, r#"["2026-07-28"]"#));
    }

    #[test]
    fn everything_else_is_named_in_one_line() {
        let error = |code: i64, message: &str| {
            format!(r#"{{"id":null,"error":{{"code":{code},"message":"{message}"}}}}"#)
        };
        for (status, media_type, body, session, want) in [
            (
                200,
                "text/html",
                "<html>\nhello</html>".to_owned(),
                false,
                "is no MCP endpoint: HTTP 200 text/html `<html> hello</html>`",
            ),
            (
                404,
                "text/plain",
                "Not Found".to_owned(),
                false,
                "is the path right?",
            ),
            (
                421,
                "text/plain",
                "Invalid Host".to_owned(),
                false,
                "refuses this host name",
            ),
            (
                400,
                "application/json",
                error(-32000, "Bad Request: Server not initialized"),
                false,
                "session-bound",
            ),
            (
                400,
                "application/json",
                error(-32600, "Missing session ID"),
                false,
                "session-bound",
            ),
            (
                400,
                "text/plain",
                "No valid session".to_owned(),
                false,
                "session-bound",
            ),
            (
                200,
                "application/json",
                error(-32601, "Method not found"),
                false,
                "session-bound",
            ),
            (
                200,
                "application/json",
                r#"{"id":1,"result":{"supportedVersions":["2025-11-25"]}}"#.to_owned(),
                true,
                "session-bound",
            ),
            (
                400,
                "application/json",
                error(-32602, "no"),
                false,
                "refuses server/discover",
            ),
            (
                200,
                "application/json",
                r#"{"result":{"supportedVersions":["2027-01-01"]}}"#.to_owned(),
                false,
                "speaks 2027-01-01, not 2026-07-28",
            ),
            (
                200,
                "application/json",
                r#"{"result":{}}"#.to_owned(),
                false,
                "without supportedVersions",
            ),
        ] {
            let why = told(status, media_type, &body, session).unwrap();
            assert!(why.contains(want), "{body}: {why}");
            assert!(!why.contains('\n'), "{why}");
        }
    }
}
