//! How a replica is told to misbehave, and what it does then beside the places where faults act.

use std::sync::Arc;

use bytes::Bytes;
use http::request;
use hyper::body::Body;
use serde_json::{Map, Value};

use crate::access_log::Entry;
use crate::content::Content;
use crate::faults::{Command, CommandError, FaultCounts, Misled, Retold};
use crate::http::body::BodyFault;
use crate::http::reply::{self, Reply};
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::replica::Replica;
use crate::server::ConnectionPolicy;
use crate::visit::Visit;

impl Replica {
    /// Misbehaves as it is told, or changes its keys or its limit, from now on. Gives what holds then, as
    /// `docs/faults.md` describes it: `faults`, `freeze_ms`, `keys`, `limit`, `applied`.
    ///
    /// # Errors
    /// When the command cannot be obeyed; nothing has changed then.
    pub fn obey(&self, command: Command) -> Result<Map<String, Value>, CommandError> {
        let limiter = self.limiter.as_ref();
        self.faults.obey(command, &self.states, limiter)
    }

    /// How often each fault made a difference so far.
    pub fn fault_counts(&self) -> FaultCounts {
        self.faults.counts()
    }

    /// Lets faults of connections act on the server with this policy.
    pub(crate) fn govern(&self, connections: Arc<ConnectionPolicy>) {
        self.faults.govern(connections);
    }

    /// Answers while something is wrong.
    pub(super) async fn misled_reply<B>(
        self: &Arc<Self>,
        visit: &mut Visit<'_>,
        head: &mut request::Parts,
        body: &mut B,
    ) -> Reply
    where
        B: Body<Data = Bytes, Error: Into<BodyFault>> + Unpin,
    {
        self.faults.wait().await;
        let Some(misled) = self.faults.request().map(Arc::new) else {
            return self.answer(visit, head, body, None).await;
        };
        misled.begin().await;
        if misled.will_be_cut() {
            visit.note(Entry::cut);
        }
        let reply = self.answer(visit, head, body, Some(&misled)).await;
        misled.end(reply).await
    }

    /// Refuses a request, in another way than its own if a fault has one.
    pub(super) fn misled_refusal(
        &self,
        visit: &mut Visit<'_>,
        request: &loadgen_protocol::Request<'_>,
        refusal: &Refusal,
        misled: &Misled,
    ) -> Reply {
        let retold = misled.retell(refusal, &request.method);
        if let Some(Retold::ToolError(text)) = retold {
            self.count_refused(visit, refusal);
            let text = Content::Text(text.into());
            let outcome = Outcome::tool(text, true, &self.catalogue.meta);
            return reply::result(request.id, &outcome);
        }
        let mut reply = self.refusal(visit, Some(request.id), refusal);
        if let Some(Retold::Status(status)) = retold {
            *reply.status_mut() = status;
        }
        reply
    }
}
