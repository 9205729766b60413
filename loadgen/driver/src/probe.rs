//! One look at each target before the load: can it be loaded at all?

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use loadgen_measure::Outcome;
use loadgen_protocol::names::{header, meta, method};
use loadgen_protocol::{ClientCapabilities, ErrorCode, PROTOCOL_VERSION, Response};
use serde::Deserialize;
use serde_json::json;
use tokio::task::LocalSet;

use crate::classify::{Reply, beginning, clip};
use crate::plan::{Kind, Plan};
use crate::schedule::workflow_rng;
use crate::target::Target;
use crate::transport::{Failure, Http1, Outgoing, Trace, Transport, request_headers};
use crate::workflow::{Step, Template, Workflow};

/// Longest time for one reply of the probe.
const PATIENCE: Duration = Duration::from_secs(10);

/// A target that cannot be loaded, and why, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("target {url}: {why}")]
pub struct Unusable {
    url: String,
    why: String,
}

/// What the probe saw of targets that can be loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProbeReport {
    /// Things to tell before the load, one line each: dead replicas beside living ones, and probe
    /// workflows that did not end well although nothing is wrong with the target as such.
    pub warnings: Vec<String>,
}

enum Finding {
    Usable(Vec<String>),
    Dead(String),
    Unusable(String),
}

/// Looks at every target: `server/discover`, then one workflow of each kind, up to the first kind
/// that was asked something, every round of it on the same target.
///
/// A target that does not accept connections counts only against itself as long as another one
/// does. Replicas that refuse only each other's states pass: no probe workflow changes replica.
///
/// # Errors
/// The first target that is no stateless MCP server, or that refuses the very state that it minted;
/// or any, when none accepts connections.
pub async fn probe(plan: &Plan, targets: &[Target]) -> Result<ProbeReport, Unusable> {
    LocalSet::new()
        .run_until(async {
            let mut report = ProbeReport::default();
            let mut dead = Vec::new();
            for target in targets {
                let unusable = |why: String| Unusable {
                    url: target.url().to_owned(),
                    why,
                };
                match look(plan, target).await {
                    Finding::Usable(warnings) => report
                        .warnings
                        .extend(warnings.into_iter().map(|w| unusable(w).to_string())),
                    Finding::Dead(why) => dead.push(unusable(why)),
                    Finding::Unusable(why) => return Err(unusable(why)),
                }
            }
            if dead.len() == targets.len()
                && let Some(first) = dead.pop()
            {
                return Err(first);
            }
            report.warnings.extend(
                dead.iter()
                    .map(|d| format!("{d}; its share of the rounds will fail")),
            );
            Ok(report)
        })
        .await
}

async fn look(plan: &Plan, target: &Target) -> Finding {
    let probe = Rc::new(Probe {
        transport: Http1::new(std::slice::from_ref(target), 1),
    });
    match probe.discover().await {
        Ok(Some(problem)) => return Finding::Unusable(problem),
        Ok(None) => {}
        Err(failure) => return from_failure(failure),
    }
    let mut warnings = Vec::new();
    // Numbers that no workflow of the load has.
    for (id, kind) in (0..=u64::MAX).rev().zip(&plan.kinds) {
        match probe.workflow(plan, kind, id).await {
            Ok(Ended {
                outcome,
                asked,
                why,
            }) => {
                if outcome == Outcome::StateRejected {
                    return Finding::Unusable(format!(
                        "refuses the requestState that it minted itself ({}: {why}); no workflow \
                         can end well there",
                        kind.name
                    ));
                }
                if outcome != Outcome::Ok {
                    warnings.push(format!(
                        "the probe of {} ended as {outcome}: {why}",
                        kind.name
                    ));
                }
                if asked {
                    break;
                }
            }
            // It answered before: a slow tool is for the load to measure.
            Err(Failure::Timeout) => warnings.push(format!(
                "the probe of {} had no reply within {} s",
                kind.name,
                patience(plan).as_secs_f64()
            )),
            Err(failure) => return from_failure(failure),
        }
    }
    Finding::Usable(warnings)
}

fn from_failure(failure: Failure) -> Finding {
    match failure {
        Failure::Connection(why) | Failure::Generator(why) => Finding::Dead(why),
        Failure::Stale => Finding::Dead("closes connections at once".to_owned()),
        Failure::Timeout => {
            Finding::Unusable(format!("did not reply within {} s", PATIENCE.as_secs()))
        }
    }
}

/// How long a round of a probe workflow may take.
fn patience(plan: &Plan) -> Duration {
    plan.timeout.min(PATIENCE)
}

struct Ended {
    outcome: Outcome,
    asked: bool,
    why: String,
}

struct Probe {
    transport: Http1,
}

impl Probe {
    /// What `server/discover` shows to be wrong; `None` for a server of this revision.
    async fn discover(&self) -> Result<Option<String>, Failure> {
        let body = json!({
            "jsonrpc": "2.0",
            "id": "probe",
            "method": method::DISCOVER,
            "params": {"_meta": {
                meta::PROTOCOL_VERSION: PROTOCOL_VERSION,
                meta::CLIENT_INFO: {"name": "loadgen", "version": env!("CARGO_PKG_VERSION")},
                meta::CLIENT_CAPABILITIES: ClientCapabilities::all(),
            }},
        });
        let headers = request_headers(&[
            (header::PROTOCOL_VERSION, PROTOCOL_VERSION.to_owned()),
            (header::METHOD, method::DISCOVER.to_owned()),
        ]);
        let reply = self
            .send(Outgoing {
                to: 0,
                headers: &headers,
                id: "\"probe\"",
                body: Bytes::from(body.to_string()),
                timeout: PATIENCE,
            })
            .await?;
        Ok(read_discover(&reply))
    }

    async fn workflow(&self, plan: &Plan, kind: &Kind, id: u64) -> Result<Ended, Failure> {
        let template = Template::new(kind);
        let headers = request_headers(&template.headers);
        let mut workflow = Workflow::new(id, workflow_rng(plan.seed, id));
        loop {
            let reply = self
                .send(Outgoing {
                    to: 0,
                    headers: &headers,
                    id: &workflow.request_id(),
                    body: Bytes::from(workflow.body(&template)),
                    timeout: patience(plan),
                })
                .await?;
            match workflow.take(&reply, plan, kind).0 {
                // The user's thinking time is left out; a server's wish to be asked later is not.
                Step::Again { pause } => {
                    tokio::time::sleep(pause.min(plan.state_only_pause)).await;
                }
                Step::Over { outcome, why } => {
                    return Ok(Ended {
                        outcome,
                        asked: workflow.round() > 0,
                        why,
                    });
                }
            }
        }
    }

    async fn send(&self, request: Outgoing<'_>) -> Result<Reply, Failure> {
        self.transport
            .send(request, &Trace::default())
            .await
            .map(|(reply, _)| reply)
    }
}

fn read_discover(reply: &Reply) -> Option<String> {
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
            format!("refuses server/discover: {said}")
        });
    }
    let versions = response
        .result
        .and_then(|result| serde_json::from_str::<Versions>(result.get()).ok());
    match versions {
        _ if reply.session => Some(session_bound(&said)),
        None => Some(format!(
            "answers server/discover without supportedVersions: {said}"
        )),
        Some(v) if v.supported_versions.iter().any(|v| v == PROTOCOL_VERSION) => None,
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
        _ => "",
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
        read_discover(&Reply {
            status,
            media_type: media_type.to_owned(),
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
                r#"{"id":1,"result":{"supportedVersions":["2026-07-28"]}}"#.to_owned(),
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
