//! One look at each target before the load: can it be loaded at all?

mod discover;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use loadgen_measure::Outcome;
use rustls::ClientConfig;
use tokio::task::LocalSet;
use tokio::time::{Instant, timeout_at};

use self::discover::Discovered;
use self::tools::Marks;
use crate::classify::Reply;
use crate::plan::{Kind, Mirrored, Plan};
use crate::schedule::workflow_rng;
use crate::target::Target;
use crate::transport::{Failure, Http, Outgoing, RequestHeaders, Trace, Transport, tls};
use crate::workflow::{Step, Template, Workflow};

/// Longest time for one reply of the probe.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longest time for the look at one target.
const LONGEST_LOOK: Duration = Duration::from_secs(60);

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
    /// Arguments that have to be repeated in headers, for each kind of the plan, as the first target
    /// that lists its tools wants it.
    mirrored: Vec<Vec<Mirrored>>,
}

impl ProbeReport {
    /// Adds to a plan what only a target could say.
    pub fn teach(&self, plan: &mut Plan) {
        for (kind, mirrored) in plan.kinds.iter_mut().zip(&self.mirrored) {
            kind.mirrored.clone_from(mirrored);
        }
    }
}

enum Finding {
    Usable(Marks),
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
/// The first target that is no stateless MCP server, that refuses the very state that it minted, or
/// that lists a tool of the plan with marks (`x-mcp-header`) for which clients have to drop it; or any,
/// when none accepts connections.
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
                let secured = match tls(&plan.http, std::slice::from_ref(target)) {
                    Ok(secured) => secured,
                    Err(e) => return Err(unusable(e.to_string())),
                };
                match look(plan, target, secured).await {
                    Finding::Usable(mut seen) => {
                        if report.mirrored.is_empty() {
                            report.mirrored = seen.mirrored;
                        } else if report.mirrored != seen.mirrored {
                            seen.warnings.push(
                                "wants other arguments in headers than the first target".to_owned(),
                            );
                        }
                        let warnings = seen.warnings.into_iter();
                        let warnings = warnings.map(|w| unusable(w).to_string());
                        report.warnings.extend(warnings);
                    }
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

async fn look(plan: &Plan, target: &Target, tls: Option<Arc<ClientConfig>>) -> Finding {
    let probe = Probe {
        plan,
        transport: Http::new(
            &plan.http,
            std::slice::from_ref(target),
            tls.as_ref(),
            1,
            Instant::now(),
        ),
    };
    let end = Instant::now() + LONGEST_LOOK;
    let mut warnings = Vec::new();
    match probe.discover().await {
        Ok(Discovered::Usable { warning }) => warnings.extend(warning),
        Ok(Discovered::Unusable { why }) => return Finding::Unusable(why),
        Err(failure) => return from_failure(failure),
    }
    let mut marks = match timeout_at(end, probe.marks()).await {
        Ok(Ok(marks)) => marks,
        Ok(Err(failure)) => return from_failure(failure),
        Err(_) => {
            return Finding::Unusable(format!(
                "its list of tools had no end within {} s",
                LONGEST_LOOK.as_secs()
            ));
        }
    };
    if let Some(why) = marks.forbidden {
        return Finding::Unusable(why);
    }
    warnings.append(&mut marks.warnings);
    // Numbers that no workflow of the load has.
    for (id, (at, kind)) in (0..=u64::MAX).rev().zip(plan.kinds.iter().enumerate()) {
        let mut kind = kind.patient();
        kind.mirrored = marks.mirrored.get(at).cloned().unwrap_or_default();
        let Ok(ended) = timeout_at(end, probe.workflow(&kind, id)).await else {
            warnings.push(format!(
                "the probe took {} s and was ended in {}; the load begins all the same",
                LONGEST_LOOK.as_secs(),
                kind.name
            ));
            break;
        };
        match ended {
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
    Finding::Usable(Marks {
        warnings,
        forbidden: None,
        mirrored: marks.mirrored,
    })
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

struct Probe<'a> {
    plan: &'a Plan,
    transport: Http,
}

impl Probe<'_> {
    async fn workflow(&self, kind: &Kind, id: u64) -> Result<Ended, Failure> {
        let plan = self.plan;
        let template = Template::new(&plan.client, kind);
        let headers = RequestHeaders::new(&template.headers);
        let mut workflow = Workflow::new(id, workflow_rng(plan.seed, id), plan, kind);
        loop {
            let body = Bytes::from(workflow.body(&template));
            let reply = self
                .send(Outgoing {
                    to: 0,
                    headers: &headers,
                    own_headers: workflow.headers(),
                    id: workflow.request_id().as_str(),
                    body,
                    timeout: patience(plan),
                })
                .await?;
            let step = workflow.take(&reply, plan, kind).0;
            let outcome = step.outcome();
            match step {
                // The user's thinking time is left out; a server's wish to be asked later is not.
                Step::Again { pause, .. } => {
                    tokio::time::sleep(pause.min(plan.state_only_pause)).await;
                }
                Step::Leave => {
                    return Ok(Ended {
                        outcome: Outcome::Ok,
                        asked: true,
                        why: String::new(),
                    });
                }
                Step::Throttled { why, .. } | Step::Over { why, .. } => {
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
            .send(&request, &Trace::default())
            .await
            .map(|(reply, _)| reply)
    }
}
